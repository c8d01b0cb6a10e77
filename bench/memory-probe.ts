/**
 * Loaded into a process that is measured (`node --expose-gc --import`): answers each message with its memory after a
 * full collection.
 */
process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
// The measurement keeps no process from ending.
process.channel?.unref()
