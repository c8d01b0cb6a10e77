/**
 * Responses of LM Studio.
 *
 * It keeps answers, so that a request can go on from one, but of its paths below `/responses` there is none: to `GET`
 * and `DELETE` of an answer it says 200, and that the endpoint is unexpected.
 *
 * @see https://lmstudio.ai/docs/developer/openai-compat
 * @see https://lmstudio.ai/docs/developer/openai-compat/responses
 * @see https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1323
 */
export const responses = { keepsAnswers: false }
