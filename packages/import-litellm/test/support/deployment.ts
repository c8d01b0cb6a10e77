import { expect } from 'vitest'

/** An entry of LiteLLM's `model_list`, and the first request that goes up for it. */
export interface Deployment {
  readonly alias: string
  readonly params: Readonly<Record<string, unknown>>
  /** `model_info.mode`; absent = chat. */
  readonly mode?: 'completion' | 'embedding' | 'rerank'
  /** Host, path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

export const HI = [{ role: 'user', content: 'Hi' }]
/** A body of chat completions. */
export const chat = (model: string) => ({ model, messages: HI })
export const blocks = { messages: [{ role: 'user', content: expect.anything() }], max_tokens: 16 }
export const contents = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
export const ranked = (model: string) => ({ model, query: 'Hi', documents: ['a', 'b'] })
