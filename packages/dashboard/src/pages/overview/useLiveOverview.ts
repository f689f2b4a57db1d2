import { Atom } from "effect/reactivity"
import { useContext, useEffect } from "react"
import { countsAtom } from "../../api/liveState.ts"
import { keys } from "../../api/makeApi.ts"
import { whileInUse } from "../../api/pageActivity.ts"
import { overviewEnergyQuery, overviewQuery } from "../../resources/overview.ts"
import { RegistryContext } from "../../state/atoms.ts"

/** Readings are no events: power is read again this often while the page is shown, in milliseconds. */
const EVERY = 5000
/** After a change of the live stream, the overview is read this soon. */
const SOON = 500
/** Energies change by the quarter of an hour. */
const ENERGY_EVERY = 60_000
/** A page that is hidden this long reads no more. */
const HIDDEN_FOR = 1000

/** Has a new value after each change that the live stream tells of. */
const changesAtom = Atom.withReactivity(
  keys("devices", "sites", "alerts", "commands", "connections", "destinations", "dispatches", "schedules")
)(Atom.make(() => ({})))

/**
 * Keeps the overview up to date: soon after a change that the live stream tells of, and otherwise every few seconds, by one request for
 * all figures, which the service shares among pages. Never while it is being read.
 */
export const useLiveOverview = () => {
  const registry = useContext(RegistryContext)
  useEffect(
    () =>
      whileInUse(() => {
        let timer: ReturnType<typeof setTimeout>
        let isSoon = false
        const plan = (pause: number) => {
          clearTimeout(timer)
          timer = setTimeout(refresh, pause)
        }
        const refresh = () => {
          isSoon = false
          if (!registry.get(overviewQuery).waiting) registry.refresh(overviewQuery)
          plan(EVERY)
        }
        const onChange = () => {
          if (isSoon) return
          isSoon = true
          plan(SOON)
        }
        plan(EVERY)
        const ends = [registry.subscribe(changesAtom, onChange), registry.subscribe(countsAtom, onChange)]
        const energy = setInterval(() => {
          if (!registry.get(overviewEnergyQuery).waiting) registry.refresh(overviewEnergyQuery)
        }, ENERGY_EVERY)
        return () => {
          clearTimeout(timer)
          clearInterval(energy)
          for (const end of ends) end()
        }
      }, HIDDEN_FOR),
    [registry]
  )
}
