/** What the environment of LiteLLM's proxy has, and that of the gateway too. */
export const ENVIRONMENT = {
  ...{ AZURE_API_KEY: 'azure-key', AZURE_AI_API_KEY: 'azure-ai-key' },
  ...{ AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'env-secret', CUSTOM_ID: 'AKIDFILE', CUSTOM_SECRET: 'file-secret' },
  ...{ BEDROCK_KEY: 'bedrock-key', GEMINI_API_KEY: 'gemini-key', OPENAI_API_KEY: 'openai-key', ANTHROPIC_API_KEY: 'anthropic-key' },
  ...{ COHERE_API_KEY: 'cohere-key', MISTRAL_API_KEY: 'mistral-key', GROQ_API_KEY: 'groq-key', TOGETHERAI_API_KEY: 'together-key' },
  ...{ FIREWORKS_AI_API_KEY: 'fireworks-key', DEEPSEEK_API_KEY: 'deepseek-key', XAI_API_KEY: 'xai-key', OR_API_KEY: 'openrouter-key' },
  ...{ PERPLEXITYAI_API_KEY: 'perplexity-key', NVIDIA_NIM_API_KEY: 'nvidia-key', WATSONX_APIKEY: 'watsonx-key', HF_TOKEN: 'hf-key' },
  ...{ WATSONX_URL: 'https://eu-de.ml.cloud.ibm.com', DATABRICKS_API_KEY: 'databricks-key', VOYAGE_API_KEY: 'voyage-key' },
  ...{ JINA_AI_API_KEY: 'jina-key', CEREBRAS_API_KEY: 'cerebras-key', DASHSCOPE_API_KEY: 'dashscope-key', VLLM_KEY: 'vllm-key' },
  ...{
    VERTEXAI_PROJECT: 'a-project',
    MOONSHOT_API_KEY: 'moonshot-key',
    SNOWFLAKE_JWT: 'snowflake-key',
    AZURE_API_BASE: 'https://usual.openai.azure.com',
  },
}
