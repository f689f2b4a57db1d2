import { setTimeout } from "node:timers/promises"

const ordinaryPatience = 100_000
const pause = 20

/** Polls until there is a response; after the given time it fails and says what it waited for. */
export const eventually = async <A>(
  what: string,
  ask: () => A | undefined | Promise<A | undefined>,
  patience = ordinaryPatience
): Promise<A> => {
  const deadline = performance.now() + patience
  for (;;) {
    const response = await ask()
    if (response !== undefined) return response
    if (performance.now() > deadline) throw new Error(`Waited ${patience} ms in vain: ${what}`)
    await setTimeout(pause)
  }
}
