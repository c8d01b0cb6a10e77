// What the scripts of this folder are asked to do, and how they tell what came of it: one line of JSON.

const { TRIAL = '' } = process.env

export const { url, apiKey, model, embeddingModel, format, question, task, texts, client, variant } = JSON.parse(TRIAL)

export const weather = {
  name: 'get_weather',
  description: 'Tells the weather in a city.',
  run: ({ city }) => `17 degrees in ${city}`,
}

/** Does one after the other. What one throws is its result; one that is undefined is not done. */
export async function tell(checks) {
  const results = {}
  for (const [name, check] of Object.entries(checks)) if (check) results[name] = await resultOf(check)
  console.log(JSON.stringify(results))
}

async function resultOf(check) {
  try {
    return { value: await check() }
  } catch (error) {
    return { error: String(error) }
  }
}

export async function listOf(pieces) {
  const list = []
  for await (const piece of pieces) list.push(piece)
  return list
}
