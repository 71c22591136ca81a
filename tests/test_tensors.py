"""Named tensors in a file come back as they were, with their note; how damaged files are refused: tests/bad_inputs."""

from __future__ import annotations

import pytest
import torch

from regattn._tensors import check_fit, read_tensors, write_tensors


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool])
def test_tensors_and_note_come_back(tmp_path, dtype):
    tensors = {"a": torch.arange(6).reshape(2, 3).to(dtype), "b": torch.ones((), dtype=dtype)}
    write_tensors(tmp_path / "x", tensors, note={"step": 3, "names": ["é"]})
    found, note = read_tensors(tmp_path / "x")
    assert note == {"step": 3, "names": ["é"]}
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == dtype
        assert torch.equal(found[name], tensor)


def test_a_view_is_written_as_the_numbers_it_shows(tmp_path):
    whole = torch.arange(12.0).reshape(3, 4)
    write_tensors(tmp_path / "x", {"column": whole[:, 1], "turned": whole.T}, note={})
    found, _ = read_tensors(tmp_path / "x")
    assert found["column"].tolist() == [1.0, 5.0, 9.0]
    assert torch.equal(found["turned"], whole.T)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no checkpoint at .*nothing"):
        read_tensors(tmp_path / "nothing")


def test_tensors_that_a_model_does_not_have_are_named():
    model = torch.nn.Linear(3, 2)
    tensors = {name: p.detach() for name, p in model.named_parameters()}
    check_fit(tensors, lambda: torch.nn.Linear(3, 2), layers=1)
    with pytest.raises(ValueError, match=r"weight has shape \(2, 3\), expected \(2, 4\)"):
        check_fit(tensors, lambda: torch.nn.Linear(4, 2), layers=1)
    with pytest.raises(ValueError, match="bias is in only one of them"):
        check_fit({"weight": tensors["weight"]}, lambda: torch.nn.Linear(3, 2), layers=1)
    with pytest.raises(ValueError, match=r"architecture: bias is in only one of them"):  # of several, the first
        check_fit({"weights": tensors["weight"]}, lambda: torch.nn.Linear(3, 2), layers=1)
    with pytest.raises(ValueError, match="bias has numbers that are not finite"):
        check_fit(tensors | {"bias": torch.tensor([1.0, torch.nan])}, lambda: torch.nn.Linear(3, 2), layers=1)
