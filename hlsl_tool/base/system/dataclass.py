"""`dataclass` and related functions as in the standard library, but methods are generated at their first use.

The standard decorator generates and executes the source of each method when a class is created: this would take a third
of the time of a process's first compilation, for classes most of which that compilation does not use.  Type checkers
see the standard library's functions.  In the compiled package, classes have explicit methods
(`base.system.native_classes`).

Supported: `slots`, `eq`, `frozen`, `kw_only`, `__post_init__`, inheritance, the arguments of `field` below.  Not
supported: `order`, `unsafe_hash`, `InitVar`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass, replace
else:
    from collections.abc import Callable
    from operator import attrgetter

    class _Missing:
        """The type of the marker for a missing default."""

        def __repr__(self):
            return "MISSING"

    MISSING = _Missing()

    class Field:
        """A field of a data class."""

        __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "metadata", "name", "repr", "type")

        def __init__(self, default=MISSING, default_factory=MISSING, init=True, compare=True, repr=True, metadata=None):
            self.default = default
            self.default_factory = default_factory
            self.init = init
            self.compare = compare
            self.repr = repr
            self.metadata = metadata or {}
            self.kw_only = False
            self.name = ""
            self.type = None

    def field(*, default=MISSING, default_factory=MISSING, init=True, compare=True, repr=True, metadata=None):
        """Describe a field with options other than a plain default."""
        return Field(default, default_factory, init, compare, repr, metadata)

    def fields(owner):
        """Return the fields of a data class or of an instance's class; those of base classes come first."""
        known = getattr(owner, "__data_fields__", None)
        if known is not None:
            return tuple(known.values())
        if hasattr(owner, "__native_fields__"):
            return _native_fields(owner)
        return tuple(map(_of_standard, owner.__dataclass_fields__.values()))

    def _of_standard(standard):
        """Convert a field of the standard library to a `Field`."""
        import dataclasses

        given = {"init": standard.init, "compare": standard.compare, "repr": standard.repr}
        given |= {
            name: getattr(standard, name)
            for name in ("default", "default_factory")
            if getattr(standard, name) is not dataclasses.MISSING
        }
        item = Field(**given, metadata=standard.metadata)
        item.name, item.type, item.kw_only = standard.name, standard.type, standard.kw_only
        return item

    class _NativeField(Field):
        """A field of a class that `base.system.native_classes` rewrote; its default is evaluated at the first use."""

        __slots__ = ("_expressions", "_module")

        def __init__(self, described, module):
            name, marks, annotation, default, factory, place = (described.split("\t") + [""] * 5)[:6]
            self.name, self.type, self.metadata = name, annotation, {}
            self.init, self.compare, self.repr = "i" not in marks, "c" not in marks, "r" not in marks
            self.kw_only = "k" in marks
            self._module = place or module
            self._expressions = {"default": default, "default_factory": factory}

        def __getattr__(self, name):
            if name not in ("default", "default_factory"):
                raise AttributeError(name)
            text = self._expressions[name]
            value = eval(text, vars(sys.modules[self._module])) if text else MISSING
            setattr(self, name, value)
            return value

    _NATIVE = {}
    """Class that `base.system.native_classes` wrote → its fields."""

    def _native_fields(owner):
        cls = owner if isinstance(owner, type) else type(owner)
        if cls not in _NATIVE:
            lines = cls.__native_fields__.split("\n") if cls.__native_fields__ else ()
            _NATIVE[cls] = tuple(_NativeField(line, cls.__module__) for line in lines)
        return _NATIVE[cls]

    def is_dataclass(item):
        """Return whether an object is a data class or an instance of one."""
        cls = item if isinstance(item, type) else type(item)
        return any(hasattr(cls, f"__{kind}_fields__") for kind in ("data", "native", "dataclass"))

    def represent(instance):
        """Return the `repr` of a data class instance in the compiled package."""
        shown = ", ".join(f"{item.name}={getattr(instance, item.name)!r}" for item in fields(instance) if item.repr)
        return f"{instance.__class__.__qualname__}({shown})"

    def reduce(instance):
        """Return the `__reduce__` value of a data class in the compiled package: a call of its constructor."""
        given, others = {}, {}
        for item in fields(instance):
            if item.init or hasattr(instance, item.name):
                (given if item.init else others)[item.name] = getattr(instance, item.name)
        return _made_again, (type(instance), given), (None, others)

    def _made_again(cls, values):
        return cls(**values)

    _GETTERS = {}
    """Class → the names of the fields that its constructor takes, and a function that returns their values."""

    def replace(instance, /, **changes):
        """Return a copy with some fields changed."""
        cls = instance.__class__
        getter = _GETTERS.get(cls)
        if getter is None:
            names = [item.name for item in fields(cls) if item.init]
            names.append(names[0])  # of two names or more, attrgetter returns a tuple
            getter = _GETTERS[cls] = names, attrgetter(*names)
        names, values = getter
        return cls(**{**dict(zip(names, values(instance), strict=True)), **changes})

    def asdict(item):
        """Convert a data class to a dictionary; also data classes in its lists, tuples and dictionaries."""
        if is_dataclass(item):
            return {each.name: asdict(getattr(item, each.name)) for each in fields(item)}
        if isinstance(item, (list, tuple)):
            elements = map(asdict, item)
            return item.__class__(*elements) if hasattr(item, "_fields") else item.__class__(elements)
        return {key: asdict(value) for key, value in item.items()} if isinstance(item, dict) else item

    class _StandardFields:
        """`__dataclass_fields__`, computed at the first use: for `replace`, `asdict` etc. of the standard library."""

        def __get__(self, instance, owner):
            import dataclasses

            standard = {}
            for item in fields(owner):
                name = item.name
                named = {
                    "init": item.init,
                    "compare": item.compare,
                    "repr": item.repr,
                    "kw_only": item.kw_only,
                    "metadata": item.metadata,
                }
                if item.default is not MISSING:
                    named["default"] = item.default
                if item.default_factory is not MISSING:
                    named["default_factory"] = item.default_factory
                standard[name] = copied = dataclasses.field(**named)
                copied.name, copied.type, copied._field_type = name, item.type, dataclasses._FIELD
            owner.__dataclass_fields__ = standard
            return standard

    NATIVE_FIELDS = _StandardFields()
    """`__dataclass_fields__` of all classes of the compiled form."""

    def dataclass(cls=None, /, *, eq=True, frozen=False, kw_only=False, slots=False):
        """Add `__init__`, `__repr__` and, according to the options, comparison and immutability to a class."""

        def decorate(cls):
            return _made(cls, eq, frozen, kw_only, slots)

        return decorate if cls is None else decorate(cls)

    def _made(cls, eq, frozen, kw_only, slots):
        namespace = dict(cls.__dict__)
        own = {}
        for name, annotation in cls.__annotations__.items() if "__annotations__" in namespace else ():
            if annotation.startswith(("ClassVar", "typing.ClassVar")):
                continue
            given = namespace.pop(name, MISSING)
            item = given if given.__class__ is Field else Field(given)
            item.name, item.type, item.kw_only = name, annotation, kw_only
            own[name] = item
        known = {}
        for base in cls.__mro__[-1:0:-1]:
            known |= base.__dict__.get("__data_fields__", {})
        namespace["__data_fields__"] = known = {**known, **own}
        namespace["__dataclass_fields__"] = _StandardFields()
        namespace["__match_args__"] = tuple(item.name for item in known.values() if item.init and not item.kw_only)
        made = _with_slots(cls, namespace, own) if slots else _in_place(cls, namespace, own)
        made.__init__ = _first_init(made, frozen)
        lazy = {}
        if "__repr__" not in namespace:
            lazy["__repr__"] = lambda: _repr(made)
        if eq and "__eq__" not in namespace:
            lazy["__eq__"] = lambda: _eq(made)
            made.__hash__ = None
        if frozen:
            made.__setattr__, made.__delattr__ = _refuse, _refuse
            made.__getstate__, made.__setstate__ = _getstate, _setstate
            if eq and "__hash__" not in cls.__dict__:
                lazy["__hash__"] = lambda: _hash(made)
        for name, make in lazy.items():
            setattr(made, name, _at_first_call(made, name, make))
        return made

    def _with_slots(cls, namespace, own):
        inherited = {slot for base in cls.__mro__[1:] for slot in base.__dict__.get("__slots__", ())}
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        namespace["__slots__"] = tuple(name for name in own if name not in inherited)
        made = type(cls)(cls.__name__, cls.__bases__, namespace)
        made.__qualname__ = cls.__qualname__
        return made

    def _in_place(cls, namespace, own):
        for name in own:
            if name in cls.__dict__:
                delattr(cls, name)
        for name in ("__data_fields__", "__dataclass_fields__", "__match_args__"):
            setattr(cls, name, namespace[name])
        return cls

    RARE = 2
    """Number of instances that are made without a generated `__init__`, which costs as much as forty of them."""

    def _first_init(cls, frozen):
        """Return an `__init__` for a data class that assigns the fields in a loop, without generated code.

        After `RARE` instances, it replaces itself by a faster generated method.
        """
        count = 0
        assign = object.__setattr__ if frozen else setattr

        def __init__(self, *arguments, **named):
            nonlocal count
            count += 1
            values = _bound(cls, arguments, named) if count <= RARE else None
            if values is None:
                method = cls.__init__ = _init(cls, frozen)
                return method(self, *arguments, **named)
            for name, value in values.items():
                assign(self, name, value)
            if hasattr(cls, "__post_init__"):
                self.__post_init__()
            return None

        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        return __init__

    def _bound(cls, arguments, named):
        """Return field → value for the arguments of `__init__`.

        `None` if they do not match, which the caller reports.
        """
        items = cls.__data_fields__
        places = [item.name for item in items.values() if item.init and not item.kw_only]
        given = dict(zip(places, arguments, strict=False))
        if len(arguments) > len(places) or not given.keys().isdisjoint(named):
            return None
        given |= named
        values = {}
        for name, item in items.items():
            if item.init and name in given:
                values[name] = given.pop(name)
            elif item.default_factory is not MISSING:
                values[name] = item.default_factory()
            elif item.default is not MISSING:
                values[name] = item.default
            elif item.init:
                return None
        return None if given else values

    def _at_first_call(cls, name, make: Callable):
        """Return a method that replaces itself with the result of ``make`` at its first call."""

        def first(self, *arguments, **named):
            method = make()
            setattr(cls, name, method)
            return method(self, *arguments, **named)

        first.__name__ = name
        first.__qualname__ = f"{cls.__qualname__}.{name}"
        return first

    def _execute(cls, text, names):
        scope = {}
        exec(text, names, scope)
        (method,) = scope.values()
        method.__qualname__ = f"{cls.__qualname__}.{method.__name__}"
        method.__module__ = cls.__module__
        return method

    def _init(cls, frozen):
        names = {"MISSING": MISSING, "_set": object.__setattr__}
        parameters, keywords, body = [], [], []
        for item in cls.__data_fields__.values():
            name = item.name
            value = name
            if item.default_factory is not MISSING:
                names[f"_{name}_factory"] = item.default_factory
                value = f"_{name}_factory() if {name} is MISSING else {name}" if item.init else f"_{name}_factory()"
            elif item.default is not MISSING:
                names[f"_{name}_default"] = item.default
                value = name if item.init else f"_{name}_default"
            elif not item.init:
                continue
            body.append(f'_set(self, "{name}", {value})' if frozen else f"self.{name} = {value}")
            if item.init:
                default = ""
                if item.default_factory is not MISSING:
                    default = "=MISSING"
                elif item.default is not MISSING:
                    default = f"=_{name}_default"
                (keywords if item.kw_only else parameters).append(name + default)
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        if keywords:
            keywords.insert(0, "*")
        head = ", ".join(["self", *parameters, *keywords])
        return _execute(cls, f"def __init__({head}):\n " + "\n ".join(body or ["pass"]), names)

    def _repr(cls):
        shown = ", ".join(f"{name}={{self.{name}!r}}" for name, item in cls.__data_fields__.items() if item.repr)
        text = f"def __repr__(self):\n return f'{{self.__class__.__qualname__}}({shown})'"
        return _execute(cls, text, {})

    def _tuple(cls, owner):
        compared = [f"{owner}.{item.name}," for item in cls.__data_fields__.values() if item.compare]
        return f"({' '.join(compared)})"

    def _eq(cls):
        text = (
            "def __eq__(self, other):\n"
            " if other.__class__ is not self.__class__: return NotImplemented\n"
            f" return {_tuple(cls, 'self')} == {_tuple(cls, 'other')}"
        )
        return _execute(cls, text, {})

    def _hash(cls):
        return _execute(cls, f"def __hash__(self):\n return hash({_tuple(cls, 'self')})", {})

    def _refuse(self, name, *value):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r} of {type(self).__qualname__}")

    def _getstate(self):
        return [getattr(self, name) for name in self.__data_fields__]

    def _setstate(self, state):
        for name, value in zip(self.__data_fields__, state, strict=True):
            object.__setattr__(self, name, value)


__all__ = ["MISSING", "Field", "asdict", "dataclass", "field", "fields", "is_dataclass", "replace"]
