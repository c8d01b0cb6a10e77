import type { ModelFacts } from '@headgate/core/provider'

/** Families by model name. Names of fine-tuned models and models of other servers do not identify a family. */
const FAMILIES = [
  [/^text-embedding-/, 'embeddings'],
  [/^(whisper-|gpt-transcribe|gpt-4o-(mini-)?transcribe)/, 'transcription'],
  [/^(omni|text)-moderation/, 'moderations'],
  [/^(tts-|gpt-4o-mini-tts)/, 'speech'],
  [/^(chatgpt|gpt)-image-/, 'images'],
  [/^(gpt-\d|gpt-audio|chatgpt-|o\d+(-|$)|(babbage|davinci)-002$)/, 'chat'],
] as const

/** Facts of a listed model. A dated snapshot has the facts of its model. */
export function listedModel(model: ModelFacts | undefined): ModelFacts | undefined {
  if (!model) return undefined
  const family = FAMILIES.find(([name]) => name.test(model.id))?.[1]
  return { id: model.id, is: model.id.replace(/-\d{4}-\d\d-\d\d$/, ''), ...(family && { families: [family] }) }
}
