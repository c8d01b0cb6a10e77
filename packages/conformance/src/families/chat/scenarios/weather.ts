import type { Json } from '@headgate/core/provider'
import type { KitFormat, OfferedTool } from '../meaning.ts'

/** Tool that scenarios offer. */
export const weather = {
  name: 'get_weather',
  description: 'The weather in a city, now.',
  schema: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Name of the city.' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    required: ['city'],
  },
} as const satisfies OfferedTool

const { name, description, schema } = weather

/** Declaration of the tool in each format. */
export const offers: Readonly<Record<KitFormat, Json>> = {
  'chat-completions': { tools: [{ type: 'function', function: { name, description, parameters: schema } }] },
  messages: { tools: [{ name, description, input_schema: schema }] },
  responses: { tools: [{ type: 'function', name, description, parameters: schema, strict: false }] },
  'generate-content': {
    tools: [
      {
        functionDeclarations: [
          {
            name,
            description,
            parameters: {
              type: 'OBJECT',
              properties: {
                city: { type: 'STRING', description: 'Name of the city.' },
                unit: { type: 'STRING', enum: ['celsius', 'fahrenheit'] },
              },
              required: ['city'],
            },
          },
        ],
      },
    ],
  },
}
