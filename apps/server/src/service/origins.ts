import type { Settings } from '../config/settings.ts'
import { isEverywhere, isLoopback } from './banner.ts'

/** Where people come from, and where links lead them. */
export interface PublicAddress {
  /** Without a slash at its end. */
  readonly url: string
  /** Origins that browsers may come from: never what a request says of itself. */
  readonly origins: readonly string[]
  /** Whether somebody has said it. */
  readonly isConfigured: boolean
}

/** What `HEADGATE_PUBLIC_URL` says, else this machine by each of its names. Links have the one that passkeys need. */
export function publicAddress({ publicUrl }: Pick<Settings, 'publicUrl'>, port: number): PublicAddress {
  if (publicUrl !== undefined) {
    return { url: publicUrl.replace(/\/+$/, ''), origins: [new URL(publicUrl).origin], isConfigured: true }
  }
  const origins = ['localhost', '127.0.0.1', '[::1]'].map((host) => new URL(`http://${host}:${port}`).origin)
  return { url: `http://localhost:${port}`, origins, isConfigured: false }
}

/** Whether somebody who follows a link to the program comes here. */
export function isReached({ host }: Pick<Settings, 'host'>, { isConfigured }: PublicAddress): boolean {
  return isConfigured || isLoopback(host) || isEverywhere(host)
}
