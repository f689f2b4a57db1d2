import "./app/tokens.css"
import "./app/layout.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { noteSessionEndIn } from "./api/sessionEnd.ts"
import { App } from "./app/App.tsx"
import { beginSession } from "./app/presentSession.ts"
import { showTheme, themeAtom } from "./app/theme.ts"
import { languageAtom } from "./i18n/language.ts"
import { loadLanguage } from "./i18n/messages.ts"
import { makeRegistry, RegistryContext } from "./state/atoms.ts"

const registry = makeRegistry()
noteSessionEndIn(registry)
showTheme(registry.get(themeAtom))
registry.subscribe(languageAtom, (language) => (document.documentElement.lang = language), { immediate: true })

const messages = loadLanguage(registry.get(languageAtom))
beginSession(registry)
await messages
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <RegistryContext value={registry}>
      <App />
    </RegistryContext>
  </StrictMode>
)
