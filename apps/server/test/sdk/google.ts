import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI, type GoogleGenAIOptions } from '@google/genai'
import { type Scenario, wires } from '@headgate/conformance'
import { type Client, WHOLE_BODIES } from './client.ts'
import { API_KEY } from './gateway.ts'

/** The SDK in each of its modes: they differ in paths and in the fields that they let through. */
export const GOOGLE_MODES = {
  'Gemini API': {},
  'Vertex AI, of a project': { vertexai: true, project: 'headgate-tests', location: 'europe-west4' },
  'Vertex AI, by key': { vertexai: true },
} as const satisfies Readonly<Record<string, GoogleGenAIOptions>>

export type GoogleMode = keyof typeof GOOGLE_MODES

/** The SDK in a mode, pointed at the gateway. */
export function googleAt(url: string, mode: GoogleMode, { apiKey = API_KEY, headers = {} } = {}): GoogleGenAI {
  return new GoogleGenAI({ ...GOOGLE_MODES[mode], apiKey, httpOptions: { baseUrl: url, headers } })
}

export const googleSdk = client('Gemini API')
export const googleSdkOfProject = client('Vertex AI, of a project')
export const googleSdkByKey = client('Vertex AI, by key')

function client(mode: GoogleMode): Client {
  return {
    name: `@google/genai (${mode})`,
    format: 'generate-content',
    scenarios: WHOLE_BODIES,
    async ask(scenario, { url, model, stream }) {
      const { models } = googleAt(url, mode)
      const asked = parametersOf(scenario, model)
      const answer = stream ? await gather(await models.generateContentStream(asked)) : await models.generateContent(asked)
      return wires['generate-content'].readAnswer(answer).meaning
    },
  }
}

/** The SDK has one `config` for what the wire has at the top and in `generationConfig`. */
function parametersOf({ requests }: Scenario, model: string): GenerateContentParameters {
  const { contents, generationConfig, ...rest } = requests['generate-content']
  return { model, contents, config: { ...Object(generationConfig), ...rest } } as GenerateContentParameters
}

/** Parts one after the other; the last chunk says why it ended and what it took. */
async function gather(stream: AsyncIterable<GenerateContentResponse>): Promise<object> {
  const chunks = await chunksOf(stream)
  const candidates = chunks.flatMap(({ candidates = [] }) => candidates)
  const last = chunks.at(-1)
  const parts = candidates.flatMap(({ content }) => content?.parts ?? [])
  return { ...last, candidates: [{ ...last?.candidates?.[0], content: { role: candidates[0]?.content?.role, parts } }] }
}

export async function chunksOf(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}
