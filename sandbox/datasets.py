"""The released benchmarks that can be fetched: where from, and under which licence.

Every file is pinned by its repository's commit and by sha256. None of them is part of the project.
"""

from collections.abc import Sequence
from dataclasses import dataclass

BASE = "https://raw.githubusercontent.com"
"""Where the repositories' files are fetched from."""


class DatasetError(ValueError):
    """A dataset cannot be fetched or found; one sentence with the way out."""


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """A file of a release."""

    path: str
    """In the repository."""
    size: int
    """Bytes."""
    sha256: str

    @property
    def name(self) -> str:
        """What it is called, without folders."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Released files that belong together."""

    name: str
    about: str
    licence: str
    repository: str
    """Owner and name on GitHub."""
    commit: str
    files: tuple[DatasetFile, ...]

    @property
    def source(self) -> str:
        """A page for people."""
        return f"https://github.com/{self.repository}/tree/{self.commit}"

    def url(self, file: DatasetFile, base: str = BASE) -> str:
        """Where a file is fetched from."""
        return f"{base.rstrip('/')}/{self.repository}/{self.commit}/{file.path}"


_MADIAL = ("hejunqing/MADial-Bench", "7a73a3e38c06ef0735116ff84ce951c8751a8cfc")
DATASETS: Sequence[Dataset] = (
    Dataset(
        "stratmem",
        "StratMem-Bench: 657 instances, with full pools and with the test set's",
        "Apache-2.0; its histories are LoCoMo's text, CC BY-NC 4.0: not for commercial use",
        "seucoin/StratMem-Bench",
        "4798226444f76db908ee01df1e9dd41db5c56351",
        (
            DatasetFile(
                "data/StratMemBench.json",
                3251191,
                "f1a5339910a239d07b673f2f9fe36d7cb7b05ea1bbc1766fad72f39eb56104f6",
            ),
            DatasetFile(
                "data/StratMemBench_testset.json",
                3164867,
                "594040954e1a788033aa299820133d6119c6ca8e46d7905076af38dd738adc64",
            ),
        ),
    ),
    Dataset(
        "madial-en",
        "MADial-Bench, English: 160 dialogues, their memories, four runs",
        "MIT",
        *_MADIAL,
        (
            DatasetFile(
                "data/en/MADial-Bench-en-dialogue.json",
                192593,
                "ba987172b4a720dd108c9a3b04855b8489ecde96fdf5d484d6522602ec6f4a31",
            ),
            DatasetFile(
                "data/en/MADial-Bench-en-memory.json",
                31693,
                "d384b2d35e01ed364165001911af7f8193c808d168b106dea7b23435c7717aa5",
            ),
            DatasetFile(
                "data/en/en_openai_top_20_bottom.json",
                36398,
                "745aadd348f6cf6417a19f5349068167b2db8ffa5acb0970c5b0b221b49274ea",
            ),
            DatasetFile(
                "embeddings/en/bge_m3_top_20.json",
                26112,
                "e5ba844541bdd5a87f007c50d7dbd1a4ecefb49d778ee7cb59f9c778cca2203c",
            ),
            DatasetFile(
                "embeddings/en/gte_top_20.json",
                26587,
                "c452273a76c61bead28c18ac4a2dca24b7157da6f9085f52e7f07e80b172f499",
            ),
            DatasetFile(
                "embeddings/en/jina_top_20.json",
                26485,
                "2d553b5dc58f1ae3b41741ec13cf02e3cf343d1108da1aab269dfb56f856700d",
            ),
        ),
    ),
    Dataset(
        "madial-zh",
        "MADial-Bench, Chinese: 160 dialogues, their memories, two settings",
        "MIT",
        *_MADIAL,
        (
            DatasetFile(
                "data/ch/MADial-Bench-zh-dialogue.json",
                186370,
                "760e929111c2b2abb4a78f36d96256b0cebe8e4ce1f180371c4404a7c7f81186",
            ),
            DatasetFile(
                "data/ch/MADial-Bench-zh-memory.json",
                35157,
                "a07531f7f3a6265dbb838f8623b7f981cdb5f74206e65c6a276c178ad0bd93df",
            ),
            DatasetFile(
                "data/ch/MADial-Bench-zh-dialogue-setting2.json",
                361200,
                "fc4af5be6181325847eae3ecd1d6ed4093711503a0efeb3633bec1150476ae6f",
            ),
            DatasetFile(
                "data/ch/MADial-Bench-zh-dialogue-setting3.json",
                361421,
                "710bd32389f46d9a31666d19d245feaf8388537f76af921e2a39a1c212e8bef8",
            ),
        ),
    ),
    Dataset(
        "locomo",
        "LoCoMo: ten long conversations and 1,986 questions",
        "CC BY-NC 4.0: not for commercial use",
        "snap-research/locomo",
        "e76cdff4a04fce19090596d49862fe87a5c15aaa",
        (
            DatasetFile(
                "data/locomo10.zip",
                626797,
                "5c342973da4b45c12583c9fc7594d6410880f5aba2c491a0db09db262c906fb5",
            ),
        ),
    ),
)


def named(names: Sequence[str], known: Sequence[Dataset] = DATASETS) -> tuple[Dataset, ...]:
    """The datasets with these names, all for none.

    Raises:
        DatasetError: if there is no such dataset.
    """
    found = {one.name: one for one in known}
    for name in names:
        if name not in found:
            raise DatasetError(
                f"There is no dataset {name[:40]!r}: name one of {', '.join(found)}."
            )
    return tuple(found[name] for name in dict.fromkeys(names)) if names else tuple(known)
