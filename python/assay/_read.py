# SPDX-License-Identifier: Apache-2.0
"""From the JSON of a document to its dataclasses, by the types that these state."""
import dataclasses
import functools
import keyword
import typing
from typing import Any, Dict, Mapping, Type, TypeVar, Union

T = TypeVar("T")


@functools.lru_cache(maxsize=None)
def _types(cls: Any) -> Dict[str, Any]:
    return typing.get_type_hints(cls)


def _value(kind: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union:
        if value is None:
            return None
        is_list = isinstance(value, list)
        kind = next(one for one in arguments if one is not type(None) and (typing.get_origin(one) is tuple) == is_list)
        return _value(kind, value)
    if origin is tuple:
        return tuple(_value(arguments[0], one) for one in value)
    if origin is dict:
        return {name: _value(arguments[1], one) for name, one in value.items()}
    if dataclasses.is_dataclass(kind):
        return members(typing.cast(type, kind), value)
    return kind(value)  # int of a text of digits, float of an int


def members(cls: Type[T], document: Mapping[str, Any], **more: Any) -> T:
    """The dataclass ``cls`` of an object of JSON. Members that a newer program has and ``cls`` has not are left out;
    ``more`` are fields that are no members."""
    known: Any = cls
    types = _types(known)
    found = {}
    for name, value in document.items():
        name += "_" if keyword.iskeyword(name) else ""
        if name in types and name not in more:
            found[name] = _value(types[name], value)
    return cls(**found, **more)
