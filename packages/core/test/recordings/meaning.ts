/** What an answer says, free of any format. */
export interface Meaning {
  readonly choices: readonly Choice[]
  readonly usage: Usage
  /** A stream ended in an error, or before its end was said. */
  readonly failed: boolean
}

export interface Choice {
  /** In their order; neighbors of one kind are one. */
  readonly pieces: readonly Piece[]
  readonly finish: Finish
}

export type Piece =
  /** `reason`: why the answer was refused, told beside it. `refusal`: the model's own words. */
  | { readonly kind: 'text' | 'reasoning' | 'refusal' | 'reason'; readonly text: string }
  /**
   * `input` is the parsed arguments, or their text where that is no JSON. The free text of a custom tool is `{ input:
   * text }`.
   */
  | { readonly kind: 'call'; readonly name: string; readonly input: unknown }
  /** `data` is base64 or a URL. */
  | { readonly kind: 'image'; readonly data: string }

export type Finish = 'stop' | 'length' | 'tools' | 'refused'

/** Tokens; zero where nothing was said. Input includes what was cached, output includes reasoning. */
export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** Pieces without empty ones, neighboring texts of one kind joined. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = []
  for (const piece of pieces) {
    const last = out.at(-1)
    if ('text' in piece && piece.text === '') continue
    if (last && 'text' in piece && last.kind === piece.kind && 'text' in last) {
      out[out.length - 1] = { ...last, text: last.text + piece.text }
    } else out.push(piece)
  }
  return out
}

/** The arguments of a call: the value of their text; none at all means an empty object. */
export function inputOf(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/**
 * The pieces in the order that the chat format has for them: it tells texts, reasoning and calls apart, and not what
 * came first.
 */
export function sorted(pieces: readonly Piece[]): Piece[] {
  const order = ['reasoning', 'text', 'refusal', 'reason', 'image', 'call']
  return joined([...pieces].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)))
}
