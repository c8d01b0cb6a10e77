/**
 * Responses of LM Studio.
 *
 * It stores responses for continuation, but has no paths below `/responses`: `GET` and `DELETE` of a response return
 * status 200 with a message about an unexpected endpoint.
 *
 * @see https://lmstudio.ai/docs/developer/openai-compat
 * @see https://lmstudio.ai/docs/developer/openai-compat/responses
 * @see https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1323
 */
export const responses = { storesResponses: false }
