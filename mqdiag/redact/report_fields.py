"""What each text of a report may tell, by the field's name; a test finds fields that are not here.

A field that is not declared is hidden like an example: nothing leaks because somebody forgot.
"""

from __future__ import annotations

from enum import Enum, auto


class Treatment(Enum):
    """What becomes of a text."""

    STAYS = auto()
    """names of classes, groups, topics, brokers and settings; words of our own; ids and times"""
    THREAD = auto()
    """name of a thread or pool: those of the JVM and of RocketMQ stay, any other becomes thread-1"""
    KEY = auto()
    """keys of a message"""
    MESSAGE = auto()
    """id of a message, which has the sender's address in it"""
    CLIENT = auto()
    """client id: address, process and instance name"""
    ADDRESS = auto()
    """host and port"""
    SETTINGS = auto()
    """settings by name: constants, numbers and names stay, any other text is hidden"""
    LABEL = auto()
    """what names an object of `mqdiag show`: hidden for strings, a thread's as THREAD"""
    EVIDENCE = auto()
    """a value of evidence: what its key means"""
    SENTENCE = auto()
    """our own words, with what is hidden elsewhere replaced in them"""
    HIDDEN = auto()
    """a piece of the evidence itself: a log line, the text of a string"""


BY_NAME: dict[Treatment, str] = {
    Treatment.STAYS: """
        against also any_of asked_at at broker broker_name buckets captured_at captured_at_local captured_local cause
        caused_by causes checked class_ids class_name client_version cluster commands confidence confidence_after
        confidence_before consumer_groups cpu_ms declared_by doing environment example_class example_hosts
        example_services field files fingerprint first flush format found_by frame frames from_10_ms group
        heap_bytes_source held_by holder_class holder_field holder_frames holds host hosts id inputs
        instance instance_id
        issues jvm key kind kinds largest_class last layout library limits lines listener loader_class lock_class
        locks message_model metric missing mqdiag name needs not_judged_because object_class object_id of
        offset_reason out owner owner_doing owner_frame owner_waits_for path paths peak_at
        place processes producer_groups put_buckets
        proven_on pull_thread queue_topic references request_queues rests_on role root rule run seen_in serves
        service service_state services severity severity_after severity_before shallow_size_source shared_doing
        shared_frame side sides since source state store_flags subclasses superclasses tid top topic topic_queues
        topics type utc_offset values version wait where word worst_at
        count_setting size_setting limit_scope main_settings
        checkpoint_at last_stored_at last_time last_updated listed_in model offsets_from role_from second
    """,
    Treatment.THREAD: "thread threads pool holder_pool waiters writers",
    Treatment.KEY: "keys head_keys",
    Treatment.MESSAGE: "msg_id head_msg_id largest_body_msg_id message_id msg_ids",
    Treatment.CLIENT: "client client_id client_ids clients",
    Treatment.ADDRESS: "address dead_addresses addresses",
    Treatment.SETTINGS: "config store_config settings",
    Treatment.LABEL: "label value",
    Treatment.SENTENCE: """
        proof unreadable
        agreements caution confidence_reason consequences contradictions diff elsewhere error evidence example_remedy
        example_title explanation holder_does problem reason remarks remedy says skipped statement tied_by title told_by
        unknown what why
    """,
    Treatment.EVIDENCE: "before after",
    Treatment.HIDDEN: "example text",
}
"""treatments by field name, in whichever type it stands"""

BY_FIELD: dict[str, Treatment] = {
    "HeapThread.name": Treatment.THREAD,
    "ThreadFacts.name": Treatment.THREAD,
    "ThreadFacts.held_by": Treatment.THREAD,
    "LockFacts.owner": Treatment.THREAD,
    "PutLock.holder": Treatment.THREAD,
    "Standstill.holder": Treatment.THREAD,
    "Suspect.label": Treatment.SENTENCE,
    "Suspect.path": Treatment.SENTENCE,
    "MessageHolder.path": Treatment.SENTENCE,
    "LoaderGroup.path": Treatment.SENTENCE,
    "ConsumerFacts.state": Treatment.SETTINGS,
    "CollectCommand.lines": Treatment.SENTENCE,
    "Verdict.checked": Treatment.SENTENCE,
    "SettingChange.before": Treatment.SETTINGS,
    "SettingChange.after": Treatment.SETTINGS,
    "FindingChange.title": Treatment.HIDDEN,
    "HolderGrowth.name": Treatment.SENTENCE,
    "ValueShare.value": Treatment.SETTINGS,
    "VersionRange.before": Treatment.STAYS,
}
"""fields that mean something else than others of their name"""


def treatments() -> dict[str, Treatment]:
    """By field name, and by "Type.field" where a type differs."""
    named = {name: treatment for treatment, names in BY_NAME.items() for name in names.split()}
    return named | BY_FIELD
