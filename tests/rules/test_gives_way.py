"""A finding that gives way to others stands only without them."""

from __future__ import annotations

from mqdiag.causes.link import standing
from mqdiag.facts import AdminFacts, Facts
from mqdiag.findings import Finding
from mqdiag.rules import all_rules, run_rules
from tests.rules.made import made_rule


def finding(name: str, *gives_way_to: str, severity: str = "warning") -> Finding:
    rule = made_rule(name, gives_way_to=gives_way_to, severity=severity)
    rule.sees("admin")(lambda facts, limits: iter([rule.case("one")]))
    (found,) = run_rules([rule], Facts(admin=AdminFacts())).findings
    return found


def test_it_stands_without_the_rules_that_it_names() -> None:
    fault, other = finding("fault"), finding("other")
    to_fault, to_any = finding("to-fault", "fault"), finding("to-any", "*")
    for given, left in (
        ([to_fault, to_any], [to_fault, to_any]),  # what gives way takes nobody's place
        ([to_fault, to_any, other], [to_fault, other]),
        ([to_fault, fault, to_any], [fault]),
    ):
        assert standing(given) == left
    assert standing([to_any], [fault]) == []


def test_the_rules_that_cases_name_exist() -> None:
    names = {rule.name for rule in all_rules()} | {"*"}
    for rule in all_rules():
        for case in rule.texts.case.values():
            assert names.issuperset(case.gives_way_to), rule.name


def test_what_is_no_fault_takes_no_faults_place() -> None:
    remark, fault = finding("remark", severity="info"), finding("fault")
    to_any = finding("to-any", "*")
    assert standing([to_any, remark]) == [to_any, remark]
    assert standing([to_any, remark, fault]) == [remark, fault]
    note = finding("note", "*", severity="info")
    assert standing([note, remark]) == [remark]
