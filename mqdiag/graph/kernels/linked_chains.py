"""Singly linked lists followed from their heads."""

from __future__ import annotations

from mqdiag.kernel import kernel


@kernel
def follow_chains(following, heads, owners, places):
    """List the links of many chains one after the other; a link is listed once, so a cycle ends itself.

    Args:
        following: int64[k], place of the next link, -1 at the end; in: all links, out: -2 where listed.
        heads: int64[h], place of each chain's first link, -1 for none.
        owners: int64[k], out: which chain; places: int64[k], out: which link.

    Returns:
        links listed. O(k + h).
    """
    count = 0
    for owner in range(heads.size):
        at = heads[owner]
        while at >= 0:
            after = following[at]
            if after == -2:
                break
            following[at] = -2
            owners[count] = owner
            places[count] = at
            count += 1
            at = after
    return count
