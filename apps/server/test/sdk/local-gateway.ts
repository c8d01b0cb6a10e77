import { serveInProcess } from '../in-process.ts'

/** A gateway in this process. */
export interface LocalGateway {
  readonly url: string
  /** Ends it at once. */
  end(): Promise<void>
}

/** Starts the gateway in this process with the configuration of a folder, on a free port. */
export function openGateway(folder: string): Promise<LocalGateway> {
  return serveInProcess({ folder, args: ['--log-level', 'warn'] })
}
