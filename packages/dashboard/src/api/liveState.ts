import type { StreamCounts, StreamDevice } from "@edp/domain/dashboard/StreamMessage"
import { Atom } from "effect/reactivity"
import { useEffect, useMemo } from "react"

/** The counts of the workspace; undefined before the first message. */
export const countsAtom = Atom.keepAlive(Atom.make<StreamCounts | undefined>(undefined))

/** The newest state of a device that the page follows; undefined before it is known. Follow the device with `useFollowedDevices`. */
export const deviceStateAtom = Atom.family((_id: string) =>
  Atom.make<Omit<StreamDevice, "kind"> | undefined>(undefined)
)

/** The stream takes this many devices. */
export const MOST_FOLLOWED = 100

const followers = new Map<string, number>()
const listeners = new Set<() => void>()

/** The devices that the shown pages follow. */
export const followedDevices = (): ReadonlyArray<string> => [...followers.keys()].slice(0, MOST_FOLLOWED)

export const isFollowed = (id: string): boolean => followers.has(id)

/** Calls a function whenever more devices are followed. Returns a function that ends it. */
export const onFollowed = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const follow = (id: string, change: 1 | -1) => {
  const count = (followers.get(id) ?? 0) + change
  if (count > 0) followers.set(id, count)
  else followers.delete(id)
}

/** Follows the states of devices; those beyond 100 are not followed. Returns a function that ends it. */
export const followDevices = (ids: ReadonlyArray<string>): (() => void) => {
  for (const id of ids) follow(id, 1)
  for (const listener of listeners) listener()
  return () => {
    for (const id of ids) follow(id, -1)
  }
}

/** Follows the states of devices for as long as the component is shown. */
export const useFollowedDevices = (ids: ReadonlyArray<string>) => {
  const joined = useMemo(() => ids.join(","), [ids])
  useEffect(() => followDevices(joined === "" ? [] : joined.split(",")), [joined])
}
