"""The questions of the command line for assistants, over the Model Context Protocol (docs/mcp.md).

`folders` says which files may be read, `questions` has what each tool answers, `server` joins them to the SDK. The SDK
is an extra, and only `server` imports it.
"""
