import { Pool } from 'undici'
import { type Measured, memoryOf } from './process.ts'
import { scenarios } from './scenarios.ts'

/** Opens a number of slow streams, and reads the gateway's memory while all of them are open. */
export async function openStreams(gateway: Measured, wanted: number): Promise<{ open: number; memory: number }> {
  const shot = scenarios.find((scenario) => scenario.name.startsWith('bypass, stream'))?.headgate
  if (!shot) throw new Error('There is no scenario with a stream.')
  const body = JSON.stringify({ ...(JSON.parse(shot.body) as object), user: 'slow' })
  const pool = new Pool(`http://127.0.0.1:${gateway.port}`, { connections: null, pipelining: 1 })
  let open = 0
  const starts: Promise<void>[] = []
  for (let i = 0; i < wanted; i++) {
    starts.push(
      new Promise((resolve) => {
        let begun = false
        pool.dispatch(
          { path: shot.path, method: 'POST', headers: shot.headers, body },
          {
            onRequestStart() {},
            onResponseStart(_, status) {
              if (status === 200) open++
            },
            onResponseData() {
              if (!begun) resolve()
              begun = true
            },
            onResponseEnd: () => resolve(),
            onResponseError: () => resolve(),
          },
        )
      }),
    )
    // A burst of 5,000 handshakes would measure the backlog of the listener, not the gateway.
    if (i % 100 === 99) await Promise.all(starts)
  }
  await Promise.all(starts)
  const memory = memoryOf(gateway.pid)
  await pool.destroy()
  return { open, memory }
}
