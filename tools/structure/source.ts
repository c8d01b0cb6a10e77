import { type BinaryExpression, type Program, parseSync, Visitor } from 'oxc-parser'

/** Facts about a TypeScript file for the rules. Lines are numbered from 1. */
export interface SourceFile {
  /** Path relative to the root of the repository, with slashes. */
  readonly path: string
  /** Lines with code, without comments and white space. An import is one line, even if it is wrapped. */
  readonly codeLines: number
  readonly imports: readonly Located[]
  /** String literals and template parts, except import specifiers. */
  readonly strings: readonly Located[]
  readonly comments: readonly Located[]
  /**
   * Functions by name, with their lines of code. An anonymous function has the name of the variable or property that it
   * is assigned to.
   */
  readonly functions: readonly (Located & { readonly codeLines: number })[]
  /** Lines of object literals that are spread into an object literal. */
  readonly literalSpreads: readonly number[]
  /** Lines of the type `any`. */
  readonly anys: readonly number[]
  /** String literals that are compared, by an operator or a case. */
  readonly compared: readonly Located[]
  /** Names of the operands of multiplications. */
  readonly factors: readonly Located[]
  /** Types that the file declares: interfaces, type aliases and classes. */
  readonly types: readonly Located[]
  /** Exported names. */
  readonly exports: readonly string[]
  /** Set if the file does not parse. */
  readonly syntaxError?: string
}

export interface Located {
  readonly value: string
  readonly line: number
}

const EQUALITIES: ReadonlySet<string> = new Set(['===', '!==', '==', '!='])

export function readSource(path: string, text: string): SourceFile {
  const { program, module, comments, errors } = parseSync(path, text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' })
  const lineOf = lineCounter(text)
  const specifiers = new Set<number>()
  const imports: Located[] = []
  const add = (request: { value: string; start: number }) => {
    specifiers.add(request.start)
    imports.push({ value: request.value, line: lineOf(request.start) })
  }

  for (const { moduleRequest } of module.staticImports) add(moduleRequest)
  const reExports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => moduleRequest ?? []),
  )
  for (const request of new Map(reExports.map((request) => [request.start, request])).values()) add(request)

  const strings: Located[] = []
  const anys: number[] = []
  const compared: Located[] = []
  const factors: Located[] = []
  const literalSpreads: number[] = []
  const functions: (Located & { codeLines: number })[] = []
  const names = new Map<number, string>()
  const code = blanked(text, comments, /[^\n]/g)
  const addFunction = ({ id, start, end }: Span & { id?: { name: string } | null }) => {
    const value = id?.name ?? names.get(start) ?? 'a function'
    functions.push({ value, line: lineOf(start), codeLines: filledLines(code.slice(start, end)) })
  }
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (init && id.type === 'Identifier') names.set(init.start, id.name)
    },
    Property: ({ key, value }) => {
      if (key.type === 'Identifier') names.set(value.start, key.name)
    },
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    ObjectExpression: ({ properties }) => {
      for (const { type, start, argument } of properties.filter((one) => one.type === 'SpreadElement'))
        if (type === 'SpreadElement' && argument.type === 'ObjectExpression') literalSpreads.push(lineOf(start))
    },
    SwitchCase: ({ test }) => {
      if (test?.type === 'Literal' && typeof test.value === 'string')
        compared.push({ value: test.value, line: lineOf(test.start) })
    },
    BinaryExpression: ({ operator, left, right, start }) => {
      for (const side of EQUALITIES.has(operator) ? [left, right] : [])
        if (side.type === 'Literal' && typeof side.value === 'string')
          compared.push({ value: side.value, line: lineOf(start) })
      if (operator === '*')
        for (const side of [left, right])
          for (const value of namesOf(side)) factors.push({ value, line: lineOf(start) })
    },
    TSAnyKeyword: (node) => void anys.push(lineOf(node.start)),
    TSImportType: ({ source }) => add(source),
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal' && typeof source.value === 'string')
        add({ value: source.value, start: source.start })
    },
    Literal: (node) => {
      if (typeof node.value === 'string' && !specifiers.has(node.start))
        strings.push({ value: node.value, line: lineOf(node.start) })
    },
    TemplateElement: (node) => void strings.push({ value: node.value.raw, line: lineOf(node.start) }),
  }).visit(program)

  return {
    path,
    codeLines: countCode(text, comments, module.staticImports),
    imports,
    strings,
    comments: comments.map(({ value, start }) => ({ value, line: lineOf(start) })),
    functions,
    literalSpreads,
    anys,
    compared,
    factors,
    types: typesIn(program.body, lineOf),
    exports: module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? [])),
    ...(errors[0] && { syntaxError: errors[0].message }),
  }
}

/** Types that statements of a module declare. */
function typesIn(body: Program['body'], lineOf: (offset: number) => number): Located[] {
  return body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    switch (declared?.type) {
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'ClassDeclaration':
        return declared.id ? [{ value: declared.id.name, line: lineOf(declared.start) }] : []
      default:
        return []
    }
  })
}

/** Names of an operand: `rate`, `price.input`, `rates[kind] ?? 0`. */
function namesOf(side: Operand): string[] {
  switch (side.type) {
    case 'Identifier':
      return [side.name]
    case 'MemberExpression':
      return [...namesOf(side.object), ...(side.property.type === 'Identifier' ? [side.property.name] : [])]
    case 'LogicalExpression':
      return [...namesOf(side.left), ...namesOf(side.right)]
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return namesOf(side.expression)
    default:
      return []
  }
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}

type Operand = BinaryExpression['left']

interface Span {
  readonly start: number
  readonly end: number
}

function countCode(text: string, comments: readonly Span[], imports: readonly Span[]): number {
  const withoutComments = blanked(text, comments, /[^\n]/g)
  return filledLines(blanked(withoutComments, imports, /\n/g))
}

function filledLines(code: string): number {
  return code.split('\n').filter((line) => line.trim() !== '').length
}

/** Text with matches within the spans replaced by spaces, which keeps all offsets. */
function blanked(text: string, spans: readonly Span[], pattern: RegExp): string {
  let blank = ''
  let end = 0
  for (const span of spans) {
    blank += text.slice(end, span.start) + text.slice(span.start, span.end).replace(pattern, ' ')
    end = span.end
  }
  return blank + text.slice(end)
}
