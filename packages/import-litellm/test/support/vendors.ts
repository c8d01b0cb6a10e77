import { expect } from 'vitest'
import { bearer, blocks, chat, contents, type Deployment, HI, ranked } from './deployment.ts'

/** First requests of vendors and own servers, as the pages that are named and each adapter's `@see` document them. */
export const VENDORS: readonly Deployment[] = [
  // https://ai.google.dev/api/generate-content
  {
    alias: 'gemini',
    params: { model: 'gemini/gemini-2.5-flash' },
    url: 'generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent',
    headers: { 'x-goog-api-key': 'gemini-key' },
    body: contents,
  },
  {
    alias: 'openai',
    params: { model: 'openai/gpt-4o', organization: 'org-1' },
    url: 'api.openai.com/v1/chat/completions',
    headers: { 'openai-organization': 'org-1', ...bearer('openai-key') },
    body: chat('gpt-4o'),
  },
  {
    alias: 'openai-vectors',
    params: { model: 'text-embedding-3-small' },
    mode: 'embedding',
    url: 'api.openai.com/v1/embeddings',
    headers: bearer('openai-key'),
    body: { model: 'text-embedding-3-small', input: 'Hi' },
  },
  // https://platform.openai.com/docs/api-reference/completions
  {
    alias: 'openai-text',
    params: { model: 'text-completion-openai/gpt-3.5-turbo-instruct' },
    mode: 'completion',
    url: 'api.openai.com/v1/completions',
    headers: bearer('openai-key'),
    body: { model: 'gpt-3.5-turbo-instruct', prompt: 'Hi' },
  },
  {
    alias: 'own-text',
    params: {
      model: 'text-completion-openai/base-model',
      api_base: 'http://text.example:8000/v1',
      api_key: 'os.environ/VLLM_KEY',
    },
    mode: 'completion',
    url: 'text.example:8000/v1/completions',
    headers: bearer('vllm-key'),
    body: { model: 'base-model', prompt: 'Hi' },
  },
  {
    alias: 'own-server',
    params: {
      model: 'openai/org/model',
      api_base: 'http://own.example:9000/v1',
      api_key: 'none',
      extra_headers: { 'x-team': 'a' },
    },
    url: 'own.example:9000/v1/chat/completions',
    headers: { 'x-team': 'team-a' },
    body: chat('org/model'),
  },
  // https://docs.claude.com/en/api/messages
  {
    alias: 'anthropic',
    params: { model: 'anthropic/claude-sonnet-4-5', api_base: 'https://api.anthropic.com/v1/messages' },
    url: 'api.anthropic.com/v1/messages',
    headers: { 'x-api-key': 'anthropic-key', 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sonnet-4-5', ...blocks },
  },
  // https://docs.cohere.com/reference/chat, …/embed, …/rerank
  {
    alias: 'cohere',
    params: { model: 'cohere_chat/command-a-03-2025', api_base: 'https://api.cohere.com/v2/chat' },
    url: 'api.cohere.com/v2/chat',
    headers: bearer('cohere-key'),
    body: { model: 'command-a-03-2025', messages: [{ role: 'user', content: expect.anything() }], max_tokens: 16 },
  },
  {
    alias: 'cohere-vectors',
    params: { model: 'cohere/embed-v4.0' },
    mode: 'embedding',
    url: 'api.cohere.com/v2/embed',
    headers: bearer('cohere-key'),
    body: { model: 'embed-v4.0', texts: ['Hi'] },
  },
  {
    alias: 'cohere-order',
    params: { model: 'cohere/rerank-v3.5' },
    mode: 'rerank',
    url: 'api.cohere.com/v2/rerank',
    headers: bearer('cohere-key'),
    body: ranked('rerank-v3.5'),
  },
  {
    alias: 'mistral',
    params: { model: 'mistral/mistral-large-latest' },
    url: 'api.mistral.ai/v1/chat/completions',
    headers: bearer('mistral-key'),
    body: chat('mistral-large-latest'),
  },
  {
    alias: 'groq',
    params: { model: 'groq/llama-3.3-70b-versatile' },
    url: 'api.groq.com/openai/v1/chat/completions',
    headers: bearer('groq-key'),
    body: chat('llama-3.3-70b-versatile'),
  },
  {
    alias: 'together',
    params: { model: 'together_ai/meta-llama/Llama-3.3-70B' },
    url: expect.stringMatching(/^api\.together\.(ai|xyz)\/v1\/chat\/completions$/),
    headers: bearer('together-key'),
    body: chat('meta-llama/Llama-3.3-70B'),
  },
  {
    alias: 'fireworks',
    params: { model: 'fireworks_ai/accounts/fireworks/models/llama-v3p1-8b' },
    url: 'api.fireworks.ai/inference/v1/chat/completions',
    headers: bearer('fireworks-key'),
    body: chat('accounts/fireworks/models/llama-v3p1-8b'),
  },
  {
    alias: 'deepseek',
    params: { model: 'deepseek/deepseek-chat' },
    url: 'api.deepseek.com/chat/completions',
    headers: bearer('deepseek-key'),
    body: chat('deepseek-chat'),
  },
  {
    alias: 'xai',
    params: { model: 'xai/grok-3' },
    url: 'api.x.ai/v1/chat/completions',
    headers: bearer('xai-key'),
    body: chat('grok-3'),
  },
  {
    alias: 'openrouter',
    params: { model: 'openrouter/anthropic/claude-3.5-sonnet' },
    url: 'openrouter.ai/api/v1/chat/completions',
    headers: bearer('openrouter-key'),
    body: chat('anthropic/claude-3.5-sonnet'),
  },
  {
    alias: 'perplexity',
    params: { model: 'perplexity/sonar-pro' },
    url: 'api.perplexity.ai/chat/completions',
    headers: bearer('perplexity-key'),
    body: chat('sonar-pro'),
  },
  {
    alias: 'cerebras',
    params: { model: 'cerebras/llama3.1-8b' },
    url: 'api.cerebras.ai/v1/chat/completions',
    headers: bearer('cerebras-key'),
    body: { model: 'llama3.1-8b' },
  },
  {
    alias: 'qwen',
    params: { model: 'dashscope/qwen-max', api_base: 'https://dashscope.aliyuncs.com/compatible-mode/v1' },
    url: 'dashscope.aliyuncs.com/compatible-mode/v1/chat/completions',
    headers: bearer('dashscope-key'),
    body: chat('qwen-max'),
  },
  {
    alias: 'moonshot',
    params: { model: 'moonshot/kimi-k2-0905-preview' },
    url: 'api.moonshot.ai/v1/chat/completions',
    headers: bearer('moonshot-key'),
    body: { model: 'kimi-k2-0905-preview' },
  },
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
  {
    alias: 'vllm',
    params: { model: 'hosted_vllm/org/big', api_base: 'http://gpu-1.example:8000/v1' },
    url: 'gpu-1.example:8000/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    body: chat('org/big'),
  },
  {
    alias: 'vllm-order',
    params: {
      model: 'hosted_vllm/org/order',
      api_base: 'http://gpu-2.example:8000/v1',
      api_key: 'os.environ/VLLM_KEY',
    },
    mode: 'rerank',
    url: 'gpu-2.example:8000/v1/rerank',
    headers: bearer('vllm-key'),
    body: ranked('org/order'),
  },
  // https://docs.ollama.com/api/chat
  {
    alias: 'ollama',
    params: { model: 'ollama_chat/llama3.1', api_base: 'http://ollama.example:11434' },
    url: 'ollama.example:11434/api/chat',
    headers: { 'content-type': 'application/json' },
    body: { model: 'llama3.1', messages: HI, stream: false },
  },
  {
    alias: 'ollama-vectors',
    params: { model: 'ollama/nomic-embed-text' },
    mode: 'embedding',
    url: '127.0.0.1:11434/api/embed',
    headers: { 'content-type': 'application/json' },
    body: { model: 'nomic-embed-text', input: ['Hi'] },
  },
  {
    alias: 'nvidia',
    params: { model: 'nvidia_nim/meta/llama3-70b-instruct' },
    url: 'integrate.api.nvidia.com/v1/chat/completions',
    headers: bearer('nvidia-key'),
    body: { model: 'meta/llama3-70b-instruct', messages: HI, max_tokens: 16 },
  },
  // https://huggingface.co/docs/inference-providers/tasks/chat-completion
  {
    alias: 'huggingface',
    params: { model: 'huggingface/together/deepseek-ai/DeepSeek-R1' },
    url: 'router.huggingface.co/v1/chat/completions',
    headers: bearer('hf-key'),
    body: { model: 'deepseek-ai/DeepSeek-R1:together' },
  },
  {
    alias: 'huggingface-endpoint',
    params: { model: 'huggingface/org/own', api_base: 'https://x.us-east-1.aws.endpoints.huggingface.cloud' },
    url: 'x.us-east-1.aws.endpoints.huggingface.cloud/v1/chat/completions',
    headers: bearer('hf-key'),
    body: chat('org/own'),
  },
  // https://docs.voyageai.com/reference/embeddings-api, …/reranker-api
  {
    alias: 'voyage',
    params: { model: 'voyage/voyage-3-large', api_base: 'https://api.voyageai.com/v1/embeddings' },
    mode: 'embedding',
    url: 'api.voyageai.com/v1/embeddings',
    headers: bearer('voyage-key'),
    body: { model: 'voyage-3-large', input: ['Hi'] },
  },
  {
    alias: 'voyage-order',
    params: { model: 'voyage/rerank-2.5' },
    mode: 'rerank',
    url: 'api.voyageai.com/v1/rerank',
    headers: bearer('voyage-key'),
    body: ranked('rerank-2.5'),
  },
  // https://api.jina.ai/redoc
  {
    alias: 'jina-order',
    params: { model: 'jina_ai/jina-reranker-v2-base-multilingual' },
    mode: 'rerank',
    url: 'api.jina.ai/v1/rerank',
    headers: bearer('jina-key'),
    body: ranked('jina-reranker-v2-base-multilingual'),
  },
]

/** Entries that cannot be served, and what the report says of them. */
export const LEFT: readonly (Pick<Deployment, 'alias' | 'params'> & {
  readonly mode?: string
  readonly remark: string
})[] = [
  { alias: 'no-chat', params: { model: 'replicate/meta/llama-3' }, remark: 'serves replicate' },
  {
    alias: 'agent',
    params: { model: 'bedrock/agent/ABC/DEF', aws_region_name: 'us-east-1' },
    remark: 'is an agent or an API of Bedrock',
  },
  { alias: 'deployment', params: { model: 'watsonx/deployment/abc' }, remark: 'is a deployment of a space' },
  {
    alias: 'vectors',
    params: { model: 'bedrock/amazon.titan-embed-text-v2:0' },
    mode: 'embedding',
    remark: 'serves bedrock',
  },
  {
    alias: 'order',
    params: { model: 'infinity/bge', api_base: 'http://i.example' },
    mode: 'rerank',
    remark: 'serves infinity',
  },
  {
    alias: 'picture',
    params: { model: 'openai/gpt-image-1' },
    mode: 'image_generation',
    remark: 'Headgate has no path for models with the mode image_generation',
  },
]
