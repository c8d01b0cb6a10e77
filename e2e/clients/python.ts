import { FORMATS } from '../../packages/conformance/src/families/chat/meaning.ts'
import { eitherOfOpenAI, type ScriptedClient } from './client.ts'

const langchain = { 'langchain-core': '1.7.2' }

/** Python clients with their packages. */
export const PYTHON_CLIENTS: readonly ScriptedClient[] = [
  { name: 'openai', format: 'chat-completions', packages: { openai: '3.54.0' }, script: 'openai_client.py' },
  {
    name: 'openai (responses)',
    format: 'responses',
    packages: { openai: '3.54.0' },
    script: 'openai_responses_client.py',
  },
  { name: 'anthropic', format: 'messages', packages: { anthropic: '2.12.0' }, script: 'anthropic_client.py' },
  {
    name: 'google-genai',
    format: 'generate-content',
    packages: { 'google-genai': '3.4.0' },
    script: 'google_genai_client.py',
  },
  ...eitherOfOpenAI({
    name: 'langchain-openai',
    packages: { 'langchain-openai': '1.7.3', ...langchain, openai: '3.54.0' },
    script: 'langchain_client.py',
  }),
  {
    name: 'langchain-anthropic',
    format: 'messages',
    packages: { 'langchain-anthropic': '1.7.7', ...langchain, anthropic: '2.12.0' },
    script: 'langchain_client.py',
  },
  {
    name: 'langchain-google-genai',
    format: 'generate-content',
    packages: { 'langchain-google-genai': '4.4.2', ...langchain, 'google-genai': '2.34.0' },
    script: 'langchain_client.py',
  },
  ...everyFormat({
    name: 'pydantic-ai',
    packages: { 'pydantic-ai-slim': '2.68.0', openai: '3.54.0', anthropic: '2.12.0', 'google-genai': '2.34.0' },
    script: 'pydantic_ai_client.py',
  }),
  ...everyFormat({
    name: 'instructor',
    packages: { instructor: '1.17.0', openai: '3.3.0', anthropic: '2.12.0', 'google-genai': '3.4.0', jsonref: '1.1.0' },
    script: 'instructor_client.py',
  }),
  {
    name: 'llama-index',
    format: 'chat-completions',
    packages: {
      'llama-index-core': '0.14.25',
      'llama-index-llms-openai-like': '0.8.1',
      'llama-index-embeddings-openai-like': '0.4.0',
    },
    script: 'llama_index_client.py',
  },
  ...everyFormat({ name: 'litellm', packages: { litellm: '1.105.0' }, script: 'litellm_client.py' }),
  ...eitherOfOpenAI({
    name: 'openai-agents',
    packages: { 'openai-agents': '0.24.0' },
    script: 'openai_agents_client.py',
  }),
  { name: 'llm', format: 'chat-completions', packages: { llm: '0.36' }, script: 'llm_client.py' },
  {
    name: 'volcengine-ark-runtime',
    format: 'chat-completions',
    packages: { 'volcengine-ark-runtime': '5.0.54' },
    script: 'ark_client.py',
  },
]

/** Entries of a client for all formats. */
function everyFormat({ name, ...rest }: Omit<ScriptedClient, 'format'>): readonly ScriptedClient[] {
  return FORMATS.map((format) => ({ name: `${name} (${format})`, format, ...rest }))
}
