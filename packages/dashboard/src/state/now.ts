import { Atom } from "effect/reactivity"

/** The time of the browser, in milliseconds since 1970. The only place where the page reads the clock. */
export const nowMillis = () => Date.now()

/** The present minute, for ages and "today". It changes once a minute. */
export const minuteAtom = Atom.make((get) => {
  const timer = setInterval(() => get.setSelf(nowMillis()), 60_000)
  get.addFinalizer(() => clearInterval(timer))
  return nowMillis()
})

/** The present time in steps of five seconds, for ages of live values. */
export const tickAtom = Atom.make((get) => {
  const timer = setInterval(() => get.setSelf(nowMillis()), 5000)
  get.addFinalizer(() => clearInterval(timer))
  return nowMillis()
})
