import { useContext, useEffect } from "react"
import { sessionAtom, SIGNED_IN } from "../api/session.ts"
import { sessionEnded } from "../api/sessionEnd.ts"
import { RegistryContext } from "../state/atoms.ts"
import { onSettingChanged, readSetting } from "../state/settings.ts"

/**
 * Follows the sign-ins and sign-outs of other tabs, which share the session's cookie. A page that asks for a sign-in opens after one in
 * another tab. An open page takes over the newer session, or asks for a new sign-in, so that no input is lost.
 */
export const useSharedSession = (readPresent: () => Promise<void>) => {
  const registry = useContext(RegistryContext)
  useEffect(() => {
    const openId = () => registry.get(sessionAtom)?.id ?? null
    const follow = () => {
      const present = readSetting(SIGNED_IN)
      if (present === openId()) return
      if (present === null) return sessionEnded()
      // A later response about the session says so again.
      readPresent().catch(() => {})
    }
    const end = onSettingChanged(SIGNED_IN, follow)
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return
      // A page that the browser kept shows nothing of a session that was signed out after it was left.
      if (readSetting(SIGNED_IN) === null && openId() !== null) return location.reload()
      follow()
    }
    window.addEventListener("pageshow", onPageShow)
    return () => {
      end()
      window.removeEventListener("pageshow", onPageShow)
    }
  }, [registry, readPresent])
}
