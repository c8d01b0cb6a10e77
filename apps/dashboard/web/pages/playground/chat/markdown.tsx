import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { Code } from '../../../components/code.tsx'

/** Maximum nesting of elements. Deeper content is shown as its source text. */
const DEEPEST = 12
/** Maximum length that is formatted, in characters. Longer text is shown unchanged. */
const LONGEST = 200_000
/** Addresses that a link can open. */
const SAFE = /^(?:https?:\/\/|mailto:)/i

/**
 * Text of a model with its Markdown formatting. The library only parses: this component creates an element for each
 * kind of token that it knows, and shows all others, such as HTML, as text. Images are not loaded.
 */
export function Markdown({ text }: { readonly text: string }) {
  const tokens = tokensOf(text)
  if (!tokens) return <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
  return <div className="flex flex-col gap-2 wrap-anywhere">{nodesOf(tokens, 0)}</div>
}

function tokensOf(text: string): readonly Token[] | undefined {
  if (text.length > LONGEST) return undefined
  try {
    return new Lexer({ gfm: true }).lex(text)
  } catch {
    // The parser gives up on extreme nesting.
    return undefined
  }
}

function nodesOf(tokens: readonly Token[], depth: number): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens are only added at the end.
  return tokens.map((token, index) => <Fragment key={index}>{nodeOf(token as MarkedToken, depth + 1)}</Fragment>)
}

function nodeOf(token: MarkedToken, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <h3 className="font-semibold">{nodesOf(token.tokens, depth)}</h3>
    case 'paragraph':
      return <p className="whitespace-pre-wrap">{nodesOf(token.tokens, depth)}</p>
    case 'code':
      return <Code text={token.text} label={token.lang ? `Code: ${token.lang}` : 'Code'} />
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-field pl-3 text-muted">
          {nodesOf(token.tokens, depth)}
        </blockquote>
      )
    case 'list':
      return <List list={token} depth={depth} />
    case 'table':
      return <TableOf table={token} depth={depth} />
    case 'hr':
      return <hr className="border-line" />
    default:
      return inlineOf(token, depth)
  }
}

function inlineOf(token: MarkedToken, depth: number): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{nodesOf(token.tokens, depth)}</strong>
    case 'em':
      return <em>{nodesOf(token.tokens, depth)}</em>
    case 'del':
      return <del>{nodesOf(token.tokens, depth)}</del>
    case 'codespan':
      return <code className="rounded-field bg-sunken px-1 font-mono text-small">{token.text}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'link':
      return SAFE.test(token.href) ? (
        <a href={token.href} target="_blank" rel="noopener noreferrer">
          {nodesOf(token.tokens, depth)}
        </a>
      ) : (
        token.raw
      )
    case 'text':
      return token.tokens ? nodesOf(token.tokens, depth) : token.text
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

function List({ list: { ordered, start, items }, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const entries = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only added at the end.
    <li key={index}>{nodesOf(item.tokens, depth)}</li>
  ))
  return ordered ? (
    <ol start={start === '' ? undefined : start} className="list-decimal pl-6">
      {entries}
    </ol>
  ) : (
    <ul className="list-disc pl-6">{entries}</ul>
  )
}

function TableOf({ table: { header, rows }, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') =>
    row.map(({ tokens }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: cells are only added at the end.
      <Cell key={index} className="border border-line px-2 py-1 text-left align-top">
        {nodesOf(tokens, depth)}
      </Cell>
    ))
  return (
    <table className="w-full border-collapse text-small">
      <thead>
        <tr>{cells(header, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end.
          <tr key={index}>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  )
}
