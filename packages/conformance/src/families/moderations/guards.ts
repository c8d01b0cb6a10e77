import type { Json } from '@headgate/core/provider'
import { object, objects, text } from '../../json.ts'
import type { Received } from '../../upstream.ts'
import type { ModerationContent, ModerationsAnswer, ModerationsFacts, ModerationTopic } from './facts.ts'

/** Hazards of the topics, from https://www.llama.com/docs/model-cards-and-prompt-formats/llama-guard-4/. */
const HAZARDS: Readonly<Record<ModerationTopic, string>> = {
  hate: 'S10',
  violence: 'S1',
  'self-harm': 'S11',
  sexual: 'S12',
}

/** Facts of a guard model, such as Llama Guard, behind chat completions. */
export function guardModerations({
  model,
  path,
  otherModel,
}: Pick<ModerationsFacts, 'model' | 'path' | 'otherModel'>): ModerationsFacts {
  return {
    model,
    path,
    ...(otherModel !== undefined && { otherModel }),
    images: /guard-?4/i.test(model),
    most: 1,
    categories: { violence: ['violence', 'illicit/violent'] },
    countsTokens: true,
    failures: [
      ['a refusal', 'I cannot help with that.'],
      ['words that begin like a verdict', 'safely stored'],
      ['a verdict with a reason', 'safe\nbecause it is harmless'],
      ['no text', ''],
    ].map(([name = '', content]) => ({ name, body: completion(content ?? '', 1) })),
    read: readMessages,
    write: ({ results, tokens }: ModerationsAnswer) => {
      const [topics = []] = results
      const codes = topics.map((topic) => HAZARDS[topic]).join(',')
      return completion(topics.length === 0 ? '\n\nsafe' : `\n\nunsafe\n${codes}`, tokens)
    },
  }
}

function completion(content: string, tokens: number): Json {
  return {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'example-guard',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokens, completion_tokens: 3, total_tokens: tokens + 3 },
  }
}

/** Content of the last message. A policy may precede it. */
function readMessages({ body }: Received): readonly ModerationContent[] {
  const messages = objects(object(body)['messages'])
  const { role, content } = messages.at(-1) ?? {}
  if (role !== 'user') throw new Error('the last message is not the user’s')
  if (object(body)['stream'] === true) throw new Error('a verdict is not streamed')
  if (typeof content === 'string') return [{ text: content }]
  const parts = objects(content)
  return [
    {
      text: parts.map((part) => (part['type'] === 'text' ? text(part['text']) : '')).join('\n'),
      images: parts.flatMap((part) => (part['type'] === 'image_url' ? text(object(part['image_url'])['url']) : [])),
    },
  ]
}
