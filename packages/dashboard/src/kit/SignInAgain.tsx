import { createContext } from "react"

/** Asks for a new sign-in over the page. Resolves with whether there was one. */
export const SignInAgainContext = createContext<() => Promise<boolean>>(() => Promise.resolve(false))
