import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type Script, type ScriptedTurn, scripted, turnOf, wires } from '@headgate/conformance'
import type { Json } from '@headgate/core/provider'
import { generateText, isStepCount, jsonSchema, streamText, type ToolSet, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY } from './sdk/gateway.ts'
import { openStage, PROVIDERS, type Stage } from './sdk/stage.ts'
import { temporaryFolder } from './temporary.ts'

const PROMPT = 'Read question.txt, then write its answer into answer.txt.'
const proofOf = (text: string): string => Buffer.from(`proof of: ${text}`).toString('base64')
const thoughtOf = (text: string) => ({ text, signature: proofOf(text) })

/** The model's turns: it reads, writes what follows from what it read, and says so. */
const READS: ScriptedTurn = {
  thought: thoughtOf('I must know the question.'),
  text: 'Let me look.',
  call: { id: 'call_reading_1', name: 'read_file', arguments: { path: 'question.txt' } },
}
const writes = (question: string): ScriptedTurn => {
  const [, one, other] = /(\d+) times (\d+)/.exec(question) ?? []
  const content = String(Number(one) * Number(other))
  return {
    thought: thoughtOf(`That makes ${content}.`),
    call: { id: 'call_writing_2', name: 'write_file', arguments: { path: 'answer.txt', content } },
  }
}
const SAYS: ScriptedTurn = { text: 'The answer is in answer.txt.' }

const script: Script = ({ said }) => {
  const [question, written] = said.flatMap((one) => ('result' in one ? [one.result] : []))
  if (question === undefined) return READS
  return written === undefined ? writes(question) : SAYS
}

function toolsIn(folder: string): ToolSet {
  const path = { type: 'string' } as const
  return {
    read_file: tool({
      description: 'Reads a file.',
      inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path }, required: ['path'] }),
      execute: (given) => readFileSync(join(folder, given.path), 'utf8'),
    }),
    write_file: tool({
      description: 'Writes a file.',
      inputSchema: jsonSchema<{ path: string; content: string }>({
        type: 'object',
        properties: { path, content: { type: 'string' } },
        required: ['path', 'content'],
      }),
      execute: (given) => {
        writeFileSync(join(folder, given.path), given.content)
        return `Wrote ${given.path}.`
      },
    }),
  }
}

describe('An agent of the AI SDK that speaks chat completions', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  const others = PROVIDERS.filter(({ format }) => format !== 'chat-completions')
  const rows = others.flatMap((provider) => [
    { provider, format: provider.format, how: 'whole', stream: false },
    { provider, format: provider.format, how: 'streamed', stream: true },
  ])

  it.each(rows)(
    'reads a file and writes another with a model behind $format, $how',
    async ({ provider, format, stream }) => {
      const upstream = stage.upstream(provider)
      upstream.answer(scripted(script, format))
      const question = 'How much is 6 times 7?'
      const folder = temporaryFolder({ 'question.txt': question })
      const headgate = createOpenAICompatible({
        name: 'headgate',
        baseURL: `${stage.url}/v1`,
        apiKey: API_KEY,
        includeUsage: true,
      })
      const call = {
        model: headgate(provider.model),
        prompt: PROMPT,
        tools: toolsIn(folder),
        stopWhen: isStepCount(5),
        maxRetries: 0,
        maxOutputTokens: 8000,
        reasoning: 'high' as const,
      }
      const result = stream ? streamText(call) : await generateText(call)
      expect([await result.text, await result.finishReason]).toEqual([SAYS.text, 'stop'])
      expect(existsSync(join(folder, 'answer.txt')) && readFileSync(join(folder, 'answer.txt'), 'utf8')).toBe('42')

      // Each request must be to the vendor what it would be had the agent spoken its format: ids, results, thoughts,
      // signatures.
      const wire = wires[format]
      const bodies = upstream.received.filter(({ method }) => method === 'POST').map(({ body }): Json => Object(body))
      const asked = bodies[0] ?? {}
      const answered = wire.followUp(asked, turnOf(READS, format).body, [question])
      const done = wire.followUp(answered, turnOf(writes(question), format).body, ['Wrote answer.txt.'])
      expect(bodies.map((body) => wire.readRequest(body))).toEqual(
        [asked, answered, done].map((body) => wire.readRequest(body)),
      )
      expect(bodies.flatMap((body) => wire.refuses(body))).toEqual([])
      expect(idsIn(bodies.at(-1))).toEqual(idsIn(done))
      expect(wire.readRequest(asked).reasoning).toBe(true)
    },
  )
})

/** The ids of calls, wherever they stand, in order. */
/** Ids of calls; those of items, which no other format has, begin otherwise. */
function idsIn(body: unknown): string[] {
  return JSON.stringify(body).match(/"call_(reading_1|writing_2)"/g) ?? []
}
