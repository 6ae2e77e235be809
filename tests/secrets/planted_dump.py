"""A dump with one secret of each kind in each of the forms that texts have in a heap."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.writers.hprof_records import CHAR, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEAx7Zt0m1v9cQbT3aP6yEwKfUj\n",
    "jwt": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
    "aws-access-token": "AKIA" + "QWERTYUIOPASDFGH",
    "alibaba-access-key-id": "LTAI" + "5tFakeFakeFakeFakeFa",
    "tencent-secret-id": "AKID" + "z8krbsJ5yKBZQpn74WFkmLPx3gnPhESA",
    "gcp-api-key": "AIza" + "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
    "github-token": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "gitlab-pat": "glpat-" + "nK8fQ2mZx7Rt5LpWc3Vb",
    "slack-token": "xoxb-" + "17653672481-19874698323-pdFZKVeTuE8s",
    "stripe-access-token": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "sendgrid-api-token": "SG." + "ngeVfQFYQlKU0ufo8x5d1A" + ".TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
    "npm-access-token": "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "pypi-upload-token": "pypi-AgE" + "IcHlwaS5vcmcCJDM0ZjM5ZGQ0LTQwZDktNDk3Ny1iZjI4LTk4MmUy",
    "openai-api-key": "sk-" + "a1b2c3d4e5f6g7h8i9j0" + "T3BlbkFJ" + "k1l2m3n4o5p6q7r8s9t0",
    "anthropic-api-key": "sk-ant-" + "api03-a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1",
    "hashicorp-vault-token": "hvs." + "CAESIJ1a2b3c4d5e6f7g8h9i0j",
    "databricks-api-token": "dapi" + "1234567890abcdef1234567890abcdef",
    "jdbc-url": "jdbc:mysql://db.internal:3306/orders?useSSL=false",
    "url-with-password": "redis://app:hunter2hunter2@cache.internal:6379/0",
    "password-in-text": "spring.datasource.password=correct-horse-battery",
    "authorization-header": "Authorization: Bearer 2YotnFZFEjr1zCsicMWpAA0123",
    "payment-card": "paid with 4539 1488 0343 6467",
}
HARMLESS = (
    "jdbc:mysql:loadbalance://",
    "password=${db.password}",
    "password: null",
    "http://host:8080/path@x",
    "4539 1488 0343 6468",
    "1760000000123",
    "7F0000010007330E2B1A18B4AAC2000045391488034364670",
    "eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN PUBLIC KEY-----",
)


@dataclass
class PlantedDump:
    """The writer, and what is planted by the field that holds it."""

    dump: DumpWriter
    planted: dict[str, str] = field(default_factory=dict)


def planted_dump(jdk: int, *, wide: bool = False) -> PlantedDump:
    """Each secret in a field of its own, in a class of the application; harmless texts in another.

    Args:
        jdk: 8 has texts in char[], later ones in byte[].
        wide: texts have a character that makes a byte[] of two bytes each.
    """
    dump = DumpWriter()
    java = JavaObjects(dump, jdk)
    made = PlantedDump(dump)
    end = " 密" if wide else ""
    names = {f"value{number}": (kind, text) for number, (kind, text) in enumerate(SECRETS.items())}
    settings = dump.java_class("app/Settings", fields=dict.fromkeys(names, OBJECT))
    texts = {name: java.string(text + end) for name, (_, text) in names.items()}
    dump.root(STICKY_CLASS, dump.instance(settings, **texts))
    made.planted = {f"app.Settings.{name}": kind for name, (kind, _) in names.items()}

    harmless = dump.java_class("app/Harmless", fields={f"value{n}": OBJECT for n in range(len(HARMLESS))})
    dump.root(
        STICKY_CLASS,
        dump.instance(harmless, **{f"value{n}": java.string(text + end) for n, text in enumerate(HARMLESS)}),
    )
    user = dump.java_class("app/User", fields={"mobile": OBJECT, "accessKey": OBJECT, "name": OBJECT})
    for number in range(3):
        values = {"mobile": java.string("13800138000"), "accessKey": java.string(f"key{number}")}
        dump.root(STICKY_CLASS, dump.instance(user, **values, name=java.string("someone")))
    made.planted |= {"app.User.mobile": "field-name", "app.User.accessKey": "field-name"}
    return made


def with_gone_text(planted: PlantedDump) -> None:
    """One more secret that nothing reaches."""
    planted.dump.primitive_array(CHAR, SECRETS["aws-access-token"].encode("utf-16-be"))
