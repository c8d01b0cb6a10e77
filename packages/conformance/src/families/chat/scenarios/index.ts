import { image } from './image.ts'
import { multiTurn } from './multi-turn.ts'
import { parallelTools } from './parallel-tools.ts'
import { amended, pdf } from './pdf.ts'
import { reasoning } from './reasoning.ts'
import { sampling } from './sampling.ts'
import type { Scenario } from './scenario.ts'
import { structuredOutput } from './structured-output.ts'
import { system } from './system.ts'
import { text } from './text.ts'
import { toolResult } from './tool-result.ts'
import { tools } from './tools.ts'

/** All scenarios of the kit. */
export const scenarios = {
  text,
  system,
  multiTurn,
  sampling,
  tools,
  parallelTools,
  toolResult,
  image,
  pdf,
  amended,
  structuredOutput,
  reasoning,
} as const satisfies Readonly<Record<string, Scenario>>
