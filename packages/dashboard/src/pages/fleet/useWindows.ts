import type { FleetDevice, FleetFilters } from "@edp/domain/dashboard/Fleet"
import { Atom } from "effect/reactivity"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useFollowedDevices } from "../../api/liveState.ts"
import { problemFromCause, type Problem } from "../../api/problems.ts"
import { useAtomValue } from "../../state/atoms.ts"
import type { FleetSort } from "./filters.ts"
import { WINDOW_ROWS, windowQuery } from "./queries.ts"
import { useQuietRefresh } from "./useQuietRefresh.ts"

/** A range of rows is read once scrolling has paused for this long, in milliseconds: a jump reads its end only. */
const PAUSE = 80

/** The rows in view are followed live once scrolling has paused for this long, in milliseconds: the stream begins anew for others. */
const LIVE_PAUSE = 1500

/** Windows that are kept while they are out of view. */
const KEPT = 60

const sameNumbers = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) =>
  one.length === other.length && one.every((value, index) => value === other[index])

/**
 * The rows of a list of any length, read in windows around the view. Windows that were read stay until they are read again, so that
 * scrolling back shows them at once.
 */
export const useWindows = (filters: FleetFilters, sort: FleetSort) => {
  const [wanted, setWanted] = useState<ReadonlyArray<number>>([0])
  const kept = useRef(new Map<number, ReadonlyArray<FleetDevice>>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const liveTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [inView, setInView] = useState<readonly [first: number, last: number]>([0, 20])
  const total = useRef<number>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      clearTimeout(liveTimer.current)
    },
    []
  )

  const queries = useMemo(() => wanted.map((window) => windowQuery(filters, sort, window)), [filters, sort, wanted])
  const atom = useMemo(() => Atom.make((get) => queries.map((query) => get(query))), [queries])
  useQuietRefresh(queries)
  let problem: Problem | undefined
  useAtomValue(atom).forEach((result, index) => {
    if (result._tag === "Failure") problem = problemFromCause(result.cause)
    if (result._tag !== "Success") return
    kept.current.delete(wanted[index]!)
    kept.current.set(wanted[index]!, result.value.data)
    total.current = result.value.totalItems
  })
  for (const window of kept.current.keys()) {
    if (kept.current.size <= KEPT) break
    kept.current.delete(window)
  }

  const onRange = useCallback((first: number, last: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const [from, to] = [Math.floor(first / WINDOW_ROWS), Math.floor(last / WINDOW_ROWS)]
      const next = Array.from({ length: to - from + 1 }, (_, index) => from + index)
      setWanted((former) => (sameNumbers(former, next) ? former : next))
    }, PAUSE)
    clearTimeout(liveTimer.current)
    liveTimer.current = setTimeout(() => setInView([first, last]), LIVE_PAUSE)
  }, [])

  const row = (index: number): FleetDevice | undefined =>
    kept.current.get(Math.floor(index / WINDOW_ROWS))?.[index % WINDOW_ROWS]

  const [first, last] = inView
  useFollowedDevices(
    Array.from({ length: last - first + 1 }, (_, index) => row(first + index)?.id ?? "").filter(Boolean)
  )

  return { row, total: total.current, onRange, problem }
}
