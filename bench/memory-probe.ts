/**
 * Preloaded into a measured process (`node --expose-gc --import`). Answers each message with the memory after a full
 * collection.
 */
process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
// The channel must not keep the process alive.
process.channel?.unref()
