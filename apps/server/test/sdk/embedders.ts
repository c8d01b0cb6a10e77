import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type ContentListUnion, GoogleGenAI } from '@google/genai'
import { GoogleGenAI as GoogleGenAI1 } from '@google/genai-1'
import { GoogleGenAI as GoogleGenAI2 } from '@google/genai-2'
import { OpenAIEmbeddings } from '@langchain/openai'
import { embed, embedMany } from 'ai'
import OpenAI from 'openai'
import OpenAI5 from 'openai-5'
import OpenAI6 from 'openai-6'
import { API_KEY } from './gateway.ts'
import { type GoogleMode, googleAt } from './google.ts'

/** What an embedder is given. */
export interface Texts {
  /** Address of the gateway. */
  readonly url: string
  readonly model: string
  readonly texts: readonly string[]
}

/** A published SDK, with the base URL of the gateway in it and nothing else that is special. */
export interface Embedder {
  readonly name: string
  /** Resolves with a vector for each text. */
  embed(texts: Texts): Promise<readonly (readonly number[])[]>
}

/** It asks for base64 where the caller names no encoding, and decodes it. */
function openaiEmbedder(version: string, Sdk: unknown, encoding_format?: 'float'): Embedder {
  const Client = Sdk as typeof OpenAI
  return {
    name: `openai ${version}${encoding_format ? `, as ${encoding_format}` : ''}`,
    async embed({ url, model, texts }) {
      const client = new Client({ baseURL: `${url}/v1`, apiKey: API_KEY, maxRetries: 0 })
      const { data } = await client.embeddings.create({
        model,
        input: [...texts],
        ...(encoding_format && { encoding_format }),
      })
      return data.map(({ embedding }) => embedding)
    },
  }
}

function googleEmbedder(version: string, Sdk: unknown, mode: GoogleMode = 'Gemini API'): Embedder {
  return {
    name: `@google/genai ${version} (${mode})`,
    async embed({ url, model, texts }) {
      const { models } = googleAt(url, mode, { Sdk: Sdk as typeof GoogleGenAI })
      const contents: ContentListUnion = texts.length === 1 ? (texts[0] ?? '') : [...texts]
      const { embeddings = [] } = await models.embedContent({ model, contents })
      return embeddings.map(({ values = [] }) => values)
    },
  }
}

const aiSdk: Embedder = {
  name: 'ai with @ai-sdk/openai-compatible',
  async embed({ url, model, texts }) {
    const provider = createOpenAICompatible({ name: 'headgate', baseURL: `${url}/v1`, apiKey: API_KEY })
    const settings = { model: provider.embeddingModel(model), maxRetries: 0 }
    const [first] = texts
    if (first !== undefined && texts.length === 1) return [(await embed({ ...settings, value: first })).embedding]
    return (await embedMany({ ...settings, values: [...texts] })).embeddings
  },
}

/** Sends so many texts at a time, whatever the provider takes. */
const langChain: Embedder = {
  name: '@langchain/openai',
  embed({ url, model, texts }) {
    const settings = { model, apiKey: API_KEY, batchSize: 2, maxRetries: 0, configuration: { baseURL: `${url}/v1` } }
    return new OpenAIEmbeddings(settings).embedDocuments([...texts])
  },
}

export const EMBEDDERS: readonly Embedder[] = [
  openaiEmbedder('5', OpenAI5),
  openaiEmbedder('6', OpenAI6),
  openaiEmbedder('7', OpenAI),
  openaiEmbedder('7', OpenAI, 'float'),
  googleEmbedder('1', GoogleGenAI1),
  googleEmbedder('2', GoogleGenAI2),
  googleEmbedder('3', GoogleGenAI),
  googleEmbedder('3', GoogleGenAI, 'Vertex AI, of a project'),
  googleEmbedder('3', GoogleGenAI, 'Vertex AI, by key'),
  aiSdk,
  langChain,
]
