import { type Call, isObject, type Json } from '@headgate/core/provider'

/**
 * Responses of vLLM.
 *
 * `store` is ignored unless the server was started with `VLLM_ENABLE_RESPONSES_API_STORE=1`; responses then last until
 * it exits and cannot be deleted. Its reasoning is plain text. Encrypted reasoning comes from another provider, and the
 * server rejects it with a 400.
 *
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server/#responses-api
 * @see https://docs.vllm.ai/en/latest/configuration/env_vars/
 * @see https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/responses/utils.py
 */
export const responses = { storesResponses: false, patchRequest: withoutSealed }

function withoutSealed(body: Json, call: Call): Json {
  const { input } = body
  if (!Array.isArray(input) || !input.some(isSealed)) return body
  call.lose('input[*].encrypted_content', 'the provider rejects encrypted reasoning')
  const open = input.map((item: unknown) => {
    if (!isSealed(item)) return item
    const { encrypted_content: _, ...rest } = item
    return rest
  })
  return { ...body, input: open }
}

function isSealed(item: unknown): item is Json {
  return isObject(item) && item['type'] === 'reasoning' && typeof item['encrypted_content'] === 'string'
}
