import {
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type GoogleGenAIOptions,
  type Part,
} from '@google/genai'
import type { Json } from '@headgate/core/provider'
import { type VendorClient, vendorClient } from './client.ts'
import { API_KEY } from './gateway.ts'

/** The SDK in each of its modes: they differ in paths and in the fields that they let through. */
const MODES = {
  'Gemini API': {},
  'Vertex AI, of a project': { vertexai: true, project: 'headgate-tests', location: 'europe-west4' },
  'Vertex AI, by key': { vertexai: true },
} as const satisfies Readonly<Record<string, GoogleGenAIOptions>>

export type GoogleMode = keyof typeof MODES

export const GOOGLE_MODES = Object.keys(MODES) as readonly GoogleMode[]

/** The SDK in a mode, pointed at the gateway. */
export function googleAt(
  url: string,
  mode: GoogleMode,
  {
    apiKey = API_KEY,
    headers = {},
    Sdk = GoogleGenAI,
  }: { apiKey?: string; headers?: Record<string, string>; Sdk?: typeof GoogleGenAI } = {},
): GoogleGenAI {
  return new Sdk({ ...MODES[mode], apiKey, httpOptions: { baseUrl: url, headers } })
}

/** The SDK in all of its modes. */
export const googleSdks: readonly VendorClient[] = GOOGLE_MODES.map((mode) =>
  googleClient(`@google/genai (${mode})`, GoogleGenAI, mode),
)

/** The SDK of a major version: what is asked of it here is the same in all. */
export function googleClient(name: string, Sdk: typeof GoogleGenAI, mode: GoogleMode = 'Gemini API'): VendorClient {
  return vendorClient({
    name,
    format: 'generate-content',
    async send(body, { url, model, stream }) {
      const { models } = googleAt(url, mode, { Sdk })
      const asked = parametersOf(body, model)
      return stream ? gather(await models.generateContentStream(asked)) : models.generateContent(asked)
    },
  })
}

/** The SDK has one `config` for what the wire has at the top and in `generationConfig`. */
function parametersOf({ contents, generationConfig, ...rest }: Json, model: string): GenerateContentParameters {
  return { model, contents, config: { ...Object(generationConfig), ...rest } } as GenerateContentParameters
}

/** The last chunk says why it ended and what it took. */
async function gather(stream: AsyncIterable<GenerateContentResponse>): Promise<object> {
  const chunks = await chunksOf(stream)
  const candidates = chunks.flatMap(({ candidates = [] }) => candidates)
  const last = chunks.at(-1)
  const parts = whole(candidates.flatMap(({ content }) => content?.parts ?? []))
  return { ...last, candidates: [{ ...last?.candidates?.[0], content: { role: candidates[0]?.content?.role, parts } }] }
}

/** The pieces of a text, or of a thought, as the one part that they are in a history. */
function whole(pieces: readonly Part[]): Part[] {
  const parts: Part[] = []
  for (const piece of pieces) {
    const { text, thought } = parts.at(-1) ?? {}
    const goesOn = text !== undefined && piece.text !== undefined && thought === piece.thought
    parts.push(goesOn ? { ...parts.pop(), ...piece, text: text + piece.text } : piece)
  }
  return parts
}

export async function chunksOf(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}
