"""The loopback Hub itself: the real clients find there what they would find on the Hub."""

from hub_server import TOKEN


def test_a_commit_brings_regular_and_large_files_and_is_read_back_by_any_revision(hub, client, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n# Prova: perché no\n", encoding="utf-8")
    (tmp_path / "data/big.safetensors").write_bytes(b"\0\1\2" * 5000)
    (tmp_path / "data/empty.txt").write_bytes(b"")
    found = client.run(
        """
from pathlib import Path
from huggingface_hub import HfApi, snapshot_download
api, folder = HfApi(), given["folder"]
url = api.create_repo("nina/first", exist_ok=True)
assert str(api.create_repo("nina/first", exist_ok=True)) == str(url)
one = api.upload_folder(repo_id="nina/first", folder_path=folder)
again = api.upload_folder(repo_id="nina/first", folder_path=folder)
api.create_branch("nina/first", branch="draft")
draft = api.upload_file(repo_id="nina/first", path_or_fileobj=b"new", path_in_repo="data/a.txt", revision="draft")
proposal = api.upload_file(repo_id="nina/first", path_or_fileobj=b"proposed", path_in_repo="b.txt", create_pr=True)
def files(revision, **more):
    root = Path(snapshot_download("nina/first", revision=revision, **more))
    return {str(path.relative_to(root)): len(path.read_bytes()) for path in sorted(root.rglob("*")) if path.is_file()}
result = {
    "commits": [one.oid, again.oid], "main": files(None), "at": files(draft.oid, allow_patterns="data/*"),
    "pr": proposal.pr_revision, "proposed": files(proposal.pr_revision),
}
""",
        folder=tmp_path,
    )
    head = hub.repo("model", "nina/first").head
    sizes = {".gitattributes": len(head.files[".gitattributes"].content), "data/empty.txt": 0}
    sizes |= {"README.md": (tmp_path / "README.md").stat().st_size, "data/big.safetensors": 15000}
    assert found["commits"] == [head.oid, head.oid]
    assert found["main"] == sizes
    assert found["at"] == {"data/a.txt": 3, "data/big.safetensors": 15000, "data/empty.txt": 0}
    assert (found["pr"], found["proposed"]) == ("refs/pr/1", sizes | {"b.txt": 8})
    assert len(hub.asked("PUT", "/storage/")) == 1  # the same object is not sent twice


def test_the_server_refuses_what_the_hub_refuses(hub, client):
    code = """
from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError
try:
    result = eval(given["call"], {"api": HfApi(token=given.get("token")), "HfApi": HfApi})
except (HfHubHTTPError, ValueError) as error:
    result = [type(error).__name__, str(error), getattr(getattr(error, "response", None), "status_code", 0)]
"""

    def refused(call, **given):
        return client.run(code, call=call, **given)

    hub.add("model", "nina/there")
    hub.add("model", "nina/secret", private=True)
    assert refused("api.model_info('nina/none')")[0] == "RepositoryNotFoundError"
    assert refused("api.model_info('nina/there', revision='v9')")[0] == "RevisionNotFoundError"
    assert refused("api.hf_hub_download('nina/there', 'x')")[0] == "RemoteEntryNotFoundError"
    assert refused("HfApi(token=False).model_info('nina/secret')")[0] == "RepositoryNotFoundError"
    assert refused("api.create_repo('nina/x')", token="hf_wrong")[2] == 401
    assert refused("api.create_repo('somebody/x')")[2] == 403
    upload = "api.upload_file(repo_id='nina/there', path_or_fileobj={!r}.encode(), path_in_repo='README.md')"
    assert "license" in refused(upload.format("---\nlicense: whatever\n---\n"))[1]
    assert "base_model" in refused(upload.format("---\nbase_model: /home/me/bert\n---\n"))[1]
    assert len(hub.repo("model", "nina/there").head.history) == 1
    assert not hub.unknown


def test_datasets_go_there_and_back_by_themselves(hub, client):
    found = client.run(
        """
from datasets import Dataset, DatasetDict, load_dataset
rows = Dataset.from_dict({"id": ["a", "b"], "headline": ["Perché", "Così"]})
rows.push_to_hub("nina/rows", "hh", private=True)
DatasetDict({"test": rows.select([1])}).push_to_hub("nina/rows", "ah")
result = [
    load_dataset("nina/rows", "hh", split="train").to_list(),
    load_dataset("nina/rows", "ah")["test"].to_list(),
]
"""
    )
    assert found == [
        [{"id": "a", "headline": "Perché"}, {"id": "b", "headline": "Così"}],
        [{"id": "b", "headline": "Così"}],
    ]
    assert hub.repo("dataset", "nina/rows").private
    assert {seen.token for seen in hub.asked("POST", "/commit/")} == {TOKEN}
