from __future__ import annotations

import pytest

from hlsl_tool.frontend.syntax import ast

from .helper import body, decl, decls, show

VARIABLES = [
    ("float a;", "VarDecl(type=`float`, declarators=[Declarator(name='a')])"),
    (
        "static const float a = 1, b[2] = {1, 2};",
        "VarDecl(type=`float`, declarators=[Declarator(name='a', init=1), "
        "Declarator(name='b', dims=[2], init={1, 2})], quals=['static', 'const'])",
    ),
    ("float const a;", "VarDecl(type=`const float`, declarators=[Declarator(name='a')])"),
    ("unsigned int a;", "VarDecl(type=`unsigned int`, declarators=[Declarator(name='a')])"),
    (
        "Texture2D<float4> t[] : register(t0[2], space1);",
        "VarDecl(type=`Texture2D<`float4`>`, declarators=[Declarator(name='t', dims=[None], "
        "annotations=[Register(items=[RegisterItem(text='t0', index=2), RegisterItem(text='space1')])])])",
    ),
    (
        "SamplerState s : register(ps_5_0, s3);",
        "VarDecl(type=`SamplerState`, declarators=[Declarator(name='s', "
        "annotations=[Register(items=[RegisterItem(text='ps_5_0'), RegisterItem(text='s3')])])])",
    ),
    (
        "row_major float4x4 m : packoffset(c1.y);",
        "VarDecl(type=`float4x4`, declarators=[Declarator(name='m', "
        "annotations=[PackOffset(register='c1', component='y')])], quals=['row_major'])",
    ),
    ("::N::T a;", None),
    ("snorm float4 a;", "VarDecl(type=`float4`, declarators=[Declarator(name='a')], quals=['snorm'])"),
    (
        "RWTexture2D<unorm float> t;",
        "VarDecl(type=`RWTexture2D<`unorm float`>`, declarators=[Declarator(name='t')])",
    ),
    (
        "StructuredBuffer<vector<float,4>> b;",
        "VarDecl(type=`StructuredBuffer<`vector<`float`, 4>`>`, declarators=[Declarator(name='b')])",
    ),
    (
        "[[vk::binding(1, 2)]] SamplerState s;",
        "VarDecl(type=`SamplerState`, declarators=[Declarator(name='s')], "
        "attributes=[Attribute(name='binding', args=[1, 2], scope='vk', double=True)])",
    ),
    ("matrix m;", "VarDecl(type=`matrix`, declarators=[Declarator(name='m')])"),
    (
        "groupshared uint a[4];",
        "VarDecl(type=`uint`, declarators=[Declarator(name='a', dims=[4])], quals=['groupshared'])",
    ),
]


@pytest.mark.parametrize(("text", "tree"), [case for case in VARIABLES if case[1]])
def test_variables(text: str, tree: str) -> None:
    assert show(decl(text)) == tree


STRUCTS = [
    ("struct S;", "StructDecl(keyword='struct', name='S')"),
    ("class S : A, N::B { };", "StructDecl(keyword='class', name='S', bases=[`A`, `N::B`])"),
    (
        "struct S { uint a : 3; float b : COLOR; };",
        "StructDecl(keyword='struct', name='S', members=[VarDecl(type=`uint`, declarators=[Declarator(name='a', "
        "bits=3)]), VarDecl(type=`float`, declarators=[Declarator(name='b', annotations=[Semantic(name='COLOR')])])])",
    ),
    (
        "struct S { float a; } s;",
        "VarDecl(type=InlineType(decl=StructDecl(keyword='struct', name='S', members=[VarDecl(type=`float`, "
        "declarators=[Declarator(name='a')])])), declarators=[Declarator(name='s')])",
    ),
    ("enum E { A, B = 2, };", "EnumDecl(name='E', enumerators=[Enumerator(name='A'), Enumerator(name='B', value=2)])"),
    (
        "enum class E : uint { A };",
        "EnumDecl(name='E', enumerators=[Enumerator(name='A')], is_class=True, underlying=`uint`)",
    ),
    (
        "struct [raypayload] P { float a : read(caller) : write(miss, closesthit); };",
        "StructDecl(keyword='struct', name='P', members=[VarDecl(type=`float`, declarators=[Declarator(name='a', "
        "annotations=[PayloadAccess(access='read', stages=['caller']), PayloadAccess(access='write', "
        "stages=['miss', 'closesthit'])])])], attributes=[Attribute(name='raypayload')])",
    ),
]


@pytest.mark.parametrize(("text", "tree"), STRUCTS)
def test_structs_and_enums(text: str, tree: str) -> None:
    *_, last = decls("class A { }; namespace N { class B { }; } " + text)
    assert show(last) == tree


FUNCTIONS = [
    ("void f();", "FunctionDecl(return_type=`void`, name='f')"),
    ("void f(void) { }", "FunctionDecl(return_type=`void`, name='f', body=Block())"),
    (
        "[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { }",
        "FunctionDecl(return_type=`void`, name='main', params=[Param(type=`uint3`, name='id', "
        "annotations=[Semantic(name='SV_DispatchThreadID')])], body=Block(), "
        "attributes=[Attribute(name='numthreads', args=[8, 8, 1])])",
    ),
    (
        "float4 f(in float a, inout float b[2] = {1, 2}, int) : SV_Target;",
        "FunctionDecl(return_type=`float4`, name='f', params=[Param(type=`float`, name='a', quals=['in']), "
        "Param(type=`float`, name='b', quals=['inout'], dims=[2], default={1, 2}), Param(type=`int`)], "
        "annotations=[Semantic(name='SV_Target')])",
    ),
    (
        "void f(triangle in float3 a[3], out vertices float3 v[3], sample float b) { }",
        "FunctionDecl(return_type=`void`, name='f', params=[Param(type=`float3`, name='a', quals=['triangle', 'in'], "
        "dims=[3]), Param(type=`float3`, name='v', quals=['out', 'vertices'], dims=[3]), Param(type=`float`, "
        "name='b', quals=['sample'])], body=Block())",
    ),
    ("float f()[2];", "FunctionDecl(return_type=`float`, name='f', return_dims=[2])"),
]


@pytest.mark.parametrize(("text", "tree"), FUNCTIONS)
def test_functions(text: str, tree: str) -> None:
    assert show(decl(text)) == tree


def test_methods_and_operators() -> None:
    struct = decl(
        """struct S {
            static int count;
            float get() const { return a; }
            S operator+(S other);
            float operator[](int i);
            float operator()(int i);
            bool operator<(S other);
            operator float() { return a; }
            template<typename T> T as() { return (T)a; }
        };"""
    )
    assert isinstance(struct, ast.StructDecl) and struct.members is not None
    names = [member.name for member in struct.members if isinstance(member, ast.FunctionDecl)]
    assert names == ["get", "operator+", "operator[]", "operator()", "operator<", "operator", "as"]
    get, *_, conversion, generic = struct.members[1:]
    assert isinstance(get, ast.FunctionDecl) and get.is_const
    assert isinstance(conversion, ast.FunctionDecl) and show(conversion.return_type) == "`float`"
    assert isinstance(generic, ast.FunctionDecl) and generic.template == [ast.TemplateParam("T", 0)]


def test_definition_outside_of_the_struct() -> None:
    *_, function = decls("struct S { float f(); }; float S::f() { return 1; }")
    assert isinstance(function, ast.FunctionDecl)
    assert function.name == "f" and show(function.scope) == "[S]"


def test_templates() -> None:
    generic, full, partial, alias, variable, special = decls(
        """template<typename T, int N = 4, class U = vector<T, N> > struct A { T a[N]; U u; };
        template<> struct A<float, 2, int> { };
        template<typename T> struct A<T, 1> { };
        template<typename T> using B = A<T, 3>;
        template<typename T, typename U> static const bool same = false;
        template<typename T> static const bool same<T, T> = true;"""
    )
    assert isinstance(generic, ast.StructDecl)
    assert show(generic.template) == (
        "[TemplateParam(name='T'), TemplateParam(name='N', type=`int`, default=4), "
        "TemplateParam(name='U', default=`vector<`T`, N>`)]"
    )
    assert isinstance(full, ast.StructDecl) and full.template == [] and show(full.args) == "[`float`, 2, `int`]"
    assert isinstance(partial, ast.StructDecl) and show(partial.args) == "[`T`, 1]"
    assert isinstance(alias, ast.UsingDecl) and show(alias.type) == "`A<`T`, 3>`" and alias.template is not None
    assert isinstance(variable, ast.VarDecl) and variable.template is not None
    assert isinstance(special, ast.VarDecl) and show(special.declarators[0].args) == "[`T`, `T`]"


def test_dependent_names() -> None:
    function = decl("template<typename T> typename T::inner::type f(T x) { typename T::type y = T::make(); return y; }")
    assert isinstance(function, ast.FunctionDecl)
    assert show(function.return_type) == "`T::inner::type`"


def test_namespaces_and_using() -> None:
    outer, directive, name, alias, nested = decls(
        """namespace A { namespace B { struct S { }; float x; } }
        using namespace A::B;
        using A::B::x;
        using T = A::B::S;
        namespace C::D { T t; }"""
    )
    assert isinstance(outer, ast.NamespaceDecl) and isinstance(outer.members[0], ast.NamespaceDecl)
    assert show(directive) == "UsingDecl(name='B', scope=[A], is_namespace=True)"
    assert show(name) == "UsingDecl(name='x', scope=[A, B])"
    assert show(alias) == "UsingDecl(name='T', type=`A::B::S`)"
    assert isinstance(nested, ast.NamespaceDecl) and nested.name == "C"


def test_typedefs() -> None:
    first, second, variable = decls("typedef struct { float a; } S, T[2]; typedef const float4 C; T t;")
    assert isinstance(first, ast.TypedefDecl) and [item.name for item in first.declarators] == ["S", "T"]
    assert show(second) == "TypedefDecl(type=`float4`, declarators=[Declarator(name='C')], quals=['const'])"
    assert show(variable) == "VarDecl(type=`T`, declarators=[Declarator(name='t')])"


def test_constant_buffers() -> None:
    buffer, empty = decls("cbuffer C : register(b0, space2) { float4 a : packoffset(c0); float4 b; };")
    assert isinstance(buffer, ast.CBufferDecl) and buffer.keyword == "cbuffer" and len(buffer.members) == 2
    assert show(buffer.annotations) == "[Register(items=[RegisterItem(text='b0'), RegisterItem(text='space2')])]"
    assert isinstance(empty, ast.EmptyDecl)
    assert decl("tbuffer T { }") == ast.CBufferDecl("tbuffer", "T", [], 0)


def test_old_effects_syntax_is_skipped() -> None:
    assert show(decl("technique10 T { pass P { SetVertexShader(x); } }")) == "TechniqueDecl(keyword='technique10')"
    assert show(decl("fxgroup G { technique11 T { pass { } } }")) == "TechniqueDecl(keyword='fxgroup')"
    for text in (
        "SamplerState s { Filter = LINEAR; };",
        "SamplerState s = sampler_state { Texture = <t>; };",
        "SamplerState s : register(s0) { Filter = X; };",
        "SamplerState s = { Filter = X; };",
    ):
        variable = decl(text)
        assert isinstance(variable, ast.VarDecl) and isinstance(variable.declarators[0].init, ast.SamplerState)
    variable = decl('float4 tint : COLOR < string name = "tint"; float low = 1; > = 2;')
    assert show(variable) == (
        "VarDecl(type=`float4`, declarators=[Declarator(name='tint', annotations=[Semantic(name='COLOR')], init=2)])"
    )


def test_static_assert() -> None:
    assert show(decl('static_assert(1 < 2, "no");')) == "StaticAssertDecl(cond=(1 < 2), message='no')"
    assert show(decl("_Static_assert(a);")) == "StaticAssertDecl(cond=a)"


def test_local_declarations() -> None:
    statements = body(
        "struct S { int a; }; S s, t; float g(int); using T = S; typedef int I; T x; I i; enum E { Q }; E e;"
    )
    kinds = [type(statement.decl).__name__ for statement in statements if isinstance(statement, ast.DeclStmt)]
    assert kinds == [
        "StructDecl",
        "VarDecl",
        "FunctionDecl",
        "UsingDecl",
        "TypedefDecl",
        "VarDecl",
        "VarDecl",
        "EnumDecl",
        "VarDecl",
    ]


def test_a_member_of_a_namespace_with_the_name_of_a_global_type() -> None:
    decls(
        """struct Light { float4 c; };
        namespace Cfg { static const int Light = 3; float Make(float x) { return x; } }
        struct Make { float x; };
        float4 f() { Light l; l.c = Cfg::Light; Make m; m.x = Cfg::Make(1) + Cfg::Light * 2; return l.c; }"""
    )
