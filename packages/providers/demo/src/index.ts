import { defineProvider } from '@headgate/core/provider'
import { z } from 'zod'
import { MOST_TOKENS } from './answer.ts'
import { answer } from './answers.ts'
import { images } from './images.ts'
import { moderations } from './moderations.ts'
import { speech } from './speech.ts'
import { stream } from './stream.ts'
import { transcription } from './transcription.ts'
import { video } from './video.ts'

/**
 * Demo provider: answers without a key and without a network, and identifies itself as a demo in every answer.
 *
 * It is enabled only while no other chat provider is. It runs in-process, answers equal requests equally, calls a tool
 * on request, and counts a token for every four characters. Sampling parameters and reasoning have no effect. Its
 * videos show slowly changing colors and take some seconds. Images are gradients, speech is a tone, all recordings have
 * the same transcript, and moderations use a small list of words.
 */
export const demo = defineProvider(
  { id: 'demo', title: 'Demo', config: z.strictObject({}), env: {}, enable: 'last-resort' },
  () => ({
    credential: { kind: 'none' },
    chat: [{ run: stream }],
    video,
    images,
    speech,
    transcription,
    moderations,
    answer,
    known: [
      {
        id: 'demo',
        families: ['chat', 'video', 'images', 'speech', 'transcription', 'moderations'],
        output: MOST_TOKENS,
        inputs: ['text', 'image', 'pdf', 'audio', 'video'],
        tools: true,
        price: {
          id: 'demo',
          input: 0,
          output: 0,
          units: { seconds: 0, images: 0, characters: 0, milliseconds: 0, moderations: 0 },
        },
      },
    ],
    closed: true,
  }),
)
