import { useEffect, useRef, useSyncExternalStore } from 'react'

/** Keyboard shortcut: a key, a combination, or `g` followed by a letter. */
export interface Shortcut {
  /** `j`, `?`, `g o`, `mod+k`. */
  readonly keys: string
  readonly label: string
}

interface BoundShortcut extends Shortcut {
  run(): void
}

const OFF = 'headgate.shortcuts'
/** Maximum time between two keys of a sequence, in milliseconds. */
const PATIENCE = 1_200

const bound: BoundShortcut[] = []
const listeners = new Set<() => void>()
let areOff = localStorage.getItem(OFF) === 'off'
let leader: { readonly key: string; readonly at: number } | undefined

/** Registers a shortcut while the component is mounted. The latest registration of the same keys wins. */
export function useShortcut(keys: string, label: string, run: () => void): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    const one: BoundShortcut = { keys, label, run: () => latest.current() }
    bound.push(one)
    return () => {
      bound.splice(bound.indexOf(one), 1)
    }
  }, [keys, label])
}

/** Active shortcuts. */
export function shortcuts(): readonly Shortcut[] {
  return bound.filter(({ keys }, index) => bound.findLastIndex((other) => other.keys === keys) === index)
}

/** Setting that turns single-key shortcuts off, for voice control. */
export function useShortcutsOff(): readonly [boolean, (off: boolean) => void] {
  const off = useSyncExternalStore(subscribe, () => areOff)
  return [off, turn]
}

function turn(off: boolean): void {
  areOff = off
  if (off) localStorage.setItem(OFF, 'off')
  else localStorage.removeItem(OFF)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

function run(keys: string): boolean {
  const found = bound.findLast((one) => one.keys === keys)
  found?.run()
  return found !== undefined
}

function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event
  if (event.defaultPrevented || event.isComposing) return
  if ((ctrlKey || metaKey) && !altKey) {
    if (run(`mod+${key.toLowerCase()}`)) event.preventDefault()
    return
  }
  if (key === 'Escape') {
    // The browser closes dialogs and popovers.
    if (!document.querySelector('dialog[open],[popover]:popover-open') && run('Escape')) event.preventDefault()
    return
  }
  if (areOff || altKey || key.length !== 1 || isTyping(target) || document.querySelector('dialog[open]')) return
  const before = leader && timeStamp - leader.at < PATIENCE ? leader.key : undefined
  leader = undefined
  if (before !== undefined && run(`${before} ${key}`)) event.preventDefault()
  else if (bound.some(({ keys }) => keys.startsWith(`${key} `))) leader = { key, at: timeStamp }
  else if (run(key)) event.preventDefault()
}

/** Installs the key listener of the page. */
export function listenToKeys(): void {
  document.addEventListener('keydown', onKey)
}
