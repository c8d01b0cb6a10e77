import { useEffect, useRef, useSyncExternalStore } from 'react'

/** Something that keys do: a letter, or `g` and then one. */
export interface Shortcut {
  /** `j`, `?`, `g o`, `mod+k`. */
  readonly keys: string
  readonly label: string
}

interface Bound extends Shortcut {
  run(): void
}

const OFF = 'headgate.shortcuts'
/** How long the second key of two is waited for, in milliseconds. */
const PATIENCE = 1_200

const bound: Bound[] = []
const listeners = new Set<() => void>()
let areOff = localStorage.getItem(OFF) === 'off'
let leader: { readonly key: string; readonly at: number } | undefined

/** Has keys do something for as long as what asks is in the page: whatever asked last counts. */
export function useShortcut(keys: string, label: string, run: () => void): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    const one: Bound = { keys, label, run: () => latest.current() }
    bound.push(one)
    return () => {
      bound.splice(bound.indexOf(one), 1)
    }
  }, [keys, label])
}

/** What keys do now. */
export function shortcuts(): readonly Shortcut[] {
  return bound.filter(({ keys }, index) => bound.findLastIndex((other) => other.keys === keys) === index)
}

/** Whether single letters do nothing: who speaks to their computer turns them off. */
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
    // A dialog and a popover close by themselves.
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

/** Listens to keys for the whole page. */
export function listenToKeys(): void {
  document.addEventListener('keydown', onKey)
}
