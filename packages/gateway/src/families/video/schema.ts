import { z } from 'zod'

const Url = z.looseObject({ url: z.string().min(1) })
const Role = z.string().nullish()

/** Input of a task. @see https://www.volcengine.com/docs/82379/1520757 */
const Content = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: Url, role: Role }),
  z.looseObject({ type: z.literal('video_url'), video_url: Url, role: Role }),
  z.looseObject({ type: z.literal('audio_url'), audio_url: Url, role: Role }),
  z.looseObject({ type: z.literal('draft_task'), draft_task: z.looseObject({ id: z.string().min(1) }) }),
])

/** Body that creates a task, in the wire of Volcengine Ark. @see https://www.volcengine.com/docs/82379/1520757 */
export const videoTaskSchema = z.looseObject({
  model: z.string().min(1),
  content: z.array(Content).min(1).max(64),
  resolution: z.string().nullish(),
  ratio: z.string().nullish(),
  /** Seconds; -1 = the model chooses. */
  duration: z.int().min(-1).max(3_600).nullish(),
  /** Alternative to `duration`, at 24 frames per second. */
  frames: z.int().min(1).max(100_000).nullish(),
  seed: z.int().min(-1).max(4_294_967_295).nullish(),
  camera_fixed: z.boolean().nullish(),
  watermark: z.boolean().nullish(),
  generate_audio: z.boolean().nullish(),
  return_last_frame: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  /** Seconds until the task expires. */
  execution_expires_after: z.int().min(3_600).max(259_200).nullish(),
  priority: z.int().min(0).max(9).nullish(),
  callback_url: z.string().max(2_048).nullish(),
  safety_identifier: z.string().max(64).nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).nullish(),
  output_format: z.string().nullish(),
})

export type VideoTaskBody = z.output<typeof videoTaskSchema>
