import { expect } from 'vitest'
import { bearer, blocks, chat, contents, type Deployment, HI } from './deployment.ts'

/**
 * A signature of AWS. @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
const signed = (id: string, region: string, service: string) => ({
  authorization: expect.stringMatching(
    new RegExp(`^AWS4-HMAC-SHA256 Credential=${id}/\\d{8}/${region}/${service}/aws4_request`),
  ),
})
const keys = { aws_access_key_id: 'os.environ/CUSTOM_ID', aws_secret_access_key: 'os.environ/CUSTOM_SECRET' }
const azureKey = { api_key: 'os.environ/AZURE_API_KEY' }
const converse = { messages: [{ role: 'user', content: [{ text: 'Hi' }] }], inferenceConfig: { maxTokens: 16 } }
const google = bearer('token-of-oauth2.googleapis.com')

const PROJECT = '00000000-1111-2222-3333-444444444444'
const PROFILE = 'arn:aws:bedrock:us-east-2:123456789012:application-inference-profile/abc'
const VERTEX = 'us-central1-aiplatform.googleapis.com/v1/projects/a-project/locations/us-central1/publishers'

/** First requests of clouds, as the pages that are named document them. */
export const CLOUDS: readonly Deployment[] = [
  // https://learn.microsoft.com/azure/foundry/openai/reference
  {
    alias: 'azure-dated',
    params: {
      model: 'azure/gpt-eu',
      api_base: 'https://eu.openai.azure.com/',
      api_version: '2025-01-01-preview',
      ...azureKey,
    },
    url: 'eu.openai.azure.com/openai/deployments/gpt-eu/chat/completions?api-version=2025-01-01-preview',
    headers: { 'api-key': 'azure-key' },
    body: { messages: HI },
  },
  {
    alias: 'azure-v1',
    params: {
      model: 'azure/gpt-us',
      api_base: 'https://us.openai.azure.com/openai/v1/',
      api_version: 'preview',
      ...azureKey,
    },
    url: 'us.openai.azure.com/openai/v1/chat/completions',
    headers: { 'api-key': 'azure-key' },
    body: chat('gpt-us'),
  },
  {
    alias: 'azure-environment',
    params: { model: 'azure/small-vectors' },
    mode: 'embedding',
    url: 'usual.openai.azure.com/openai/v1/embeddings',
    headers: { 'api-key': 'azure-key' },
    body: { model: 'small-vectors', input: 'Hi' },
  },
  {
    alias: 'foundry',
    params: {
      model: 'azure_ai/mistral-large',
      api_base: 'https://f.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview',
    },
    url: 'f.services.ai.azure.com/openai/v1/chat/completions',
    headers: { 'api-key': 'azure-ai-key' },
    body: chat('mistral-large'),
  },
  {
    alias: 'foundry-claude',
    params: { model: 'azure_ai/claude-sonnet-4-5', api_base: 'https://f.services.ai.azure.com/anthropic' },
    url: 'f.services.ai.azure.com/anthropic/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sonnet-4-5', ...blocks },
  },
  {
    alias: 'azure-serverless',
    params: { model: 'azure_ai/command-r-plus', api_base: 'https://c.eastus2.inference.ai.azure.com/v1' },
    url: 'c.eastus2.inference.ai.azure.com/v1/chat/completions',
    headers: bearer('azure-ai-key'),
    body: chat('command-r-plus'),
  },
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  {
    alias: 'bedrock-converse',
    params: { model: 'bedrock/converse/us.amazon.nova-pro-v1:0', aws_region_name: 'us-west-2', ...keys },
    url: 'bedrock-runtime.us-west-2.amazonaws.com/model/us.amazon.nova-pro-v1%3A0/converse',
    headers: signed('AKIDFILE', 'us-west-2', 'bedrock'),
    body: converse,
  },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
  {
    alias: 'bedrock-invoke',
    params: {
      model: 'bedrock/invoke/anthropic.claude-3-5-sonnet-20240620-v1:0',
      aws_region_name: 'us-west-2',
      ...keys,
    },
    url: 'bedrock-runtime.us-west-2.amazonaws.com/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/invoke',
    headers: signed('AKIDFILE', 'us-west-2', 'bedrock'),
    body: { anthropic_version: 'bedrock-2023-05-31', ...blocks },
  },
  {
    alias: 'bedrock-region',
    params: { model: 'bedrock/eu-central-1/meta.llama3-70b-instruct-v1:0' },
    url: 'bedrock-runtime.eu-central-1.amazonaws.com/model/meta.llama3-70b-instruct-v1%3A0/converse',
    headers: signed('AKIDENV', 'eu-central-1', 'bedrock'),
    body: converse,
  },
  {
    alias: 'bedrock-key',
    params: {
      model: 'bedrock/openai.gpt-oss-120b-1:0',
      aws_region_name: 'us-east-1',
      api_key: 'os.environ/BEDROCK_KEY',
    },
    url: 'bedrock-runtime.us-east-1.amazonaws.com/openai/v1/chat/completions',
    headers: bearer('bedrock-key'),
    body: chat('openai.gpt-oss-120b-1:0'),
  },
  {
    alias: 'bedrock-profile',
    params: { model: 'bedrock/converse/amazon.nova-pro-v1:0', model_id: PROFILE, ...keys },
    url: `bedrock-runtime.us-east-2.amazonaws.com/model/${encodeURIComponent(PROFILE)}/converse`,
    headers: signed('AKIDFILE', 'us-east-2', 'bedrock'),
    body: converse,
  },
  // https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html
  {
    alias: 'sagemaker',
    params: { model: 'sagemaker_chat/an-endpoint', aws_region_name: 'us-west-2', ...keys },
    url: 'runtime.sagemaker.us-west-2.amazonaws.com/endpoints/an-endpoint/invocations',
    headers: signed('AKIDFILE', 'us-west-2', 'sagemaker'),
    body: { messages: HI, max_tokens: 16 },
  },
  {
    alias: 'sagemaker-component',
    params: { model: 'sagemaker/an-endpoint', model_id: 'a-part', aws_region_name: 'us-west-2', ...keys },
    url: 'runtime.sagemaker.us-west-2.amazonaws.com/endpoints/an-endpoint/invocations',
    headers: { 'x-amzn-sagemaker-inference-component': 'a-part' },
    body: { messages: HI, max_tokens: 16 },
  },
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
  {
    alias: 'vertex-gemini',
    params: { model: 'vertex_ai/gemini-2.5-pro', vertex_credentials: '/secrets/key.json' },
    url: `${VERTEX}/google/models/gemini-2.5-pro:generateContent`,
    headers: google,
    body: contents,
  },
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
  {
    alias: 'vertex-claude',
    params: { model: 'vertex_ai/claude-sonnet-4-5@20250929', vertex_credentials: '/secrets/key.json' },
    url: `${VERTEX}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
    headers: google,
    body: { anthropic_version: 'vertex-2023-10-16', ...blocks },
  },
  // https://cloud.ibm.com/apidocs/watsonx-ai#text-chat, …#text-rerank
  {
    alias: 'watsonx',
    params: { model: 'watsonx/ibm/granite-3-8b-instruct', project_id: PROJECT },
    url: 'eu-de.ml.cloud.ibm.com/ml/v1/text/chat?version=2025-10-01',
    headers: bearer('token-of-iam.cloud.ibm.com'),
    body: { model_id: 'ibm/granite-3-8b-instruct', project_id: PROJECT },
  },
  {
    alias: 'watsonx-order',
    params: {
      model: 'watsonx/cross-encoder/ms-marco-minilm-l-12-v2',
      space_id: PROJECT,
      api_base: 'https://us-south.ml.cloud.ibm.com',
    },
    mode: 'rerank',
    url: 'us-south.ml.cloud.ibm.com/ml/v1/text/rerank?version=2025-10-01',
    headers: bearer('token-of-iam.cloud.ibm.com'),
    body: {
      model_id: 'cross-encoder/ms-marco-minilm-l-12-v2',
      space_id: PROJECT,
      query: 'Hi',
      inputs: [{ text: 'a' }, { text: 'b' }],
    },
  },
  // https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference
  {
    alias: 'databricks',
    params: {
      model: 'databricks/databricks-meta-llama-3-3-70b-instruct',
      api_base: 'https://w.cloud.databricks.com/serving-endpoints',
    },
    url: 'w.cloud.databricks.com/serving-endpoints/chat/completions',
    headers: bearer('databricks-key'),
    body: chat('databricks-meta-llama-3-3-70b-instruct'),
  },
  // https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api
  {
    alias: 'snowflake',
    params: {
      model: 'snowflake/llama3.1-70b',
      api_base: 'https://a.snowflakecomputing.com/api/v2/cortex/inference:complete',
    },
    url: 'a.snowflakecomputing.com/api/v2/cortex/v1/chat/completions',
    headers: bearer('snowflake-key'),
    body: { model: 'llama3.1-70b', messages: HI },
  },
]
