import type { Config } from './config/schema.ts'

export type { Config }

/** Type helper for `headgate.config.ts`, so that editors know every field. Returns its argument. */
export function defineConfig(config: Config): Config {
  return config
}
