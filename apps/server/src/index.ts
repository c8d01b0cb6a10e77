import type { Config } from './config/schema.ts'

export type { Config }

/** For `headgate.config.ts`: an editor then knows every field. Returns what it is given. */
export function defineConfig(config: Config): Config {
  return config
}
