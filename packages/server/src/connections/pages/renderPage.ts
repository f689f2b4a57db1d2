import type { Language } from "../../adapters/ManufacturerAdapter.ts"
import type { FlowContext, FlowView } from "../flowView.ts"
import { consentPage, formPage, waitingPage } from "./authorizationPages.ts"
import { donePage, errorPage, failurePage, leavingPage, refusedFormPage, systemPage, unknownPage } from "./endPages.ts"
import { frame, makeScene, type PageParts, type PageRequest, type Scene } from "./layout.ts"
import { customerPage, manufacturersPage, unsupportedPage } from "./startPages.ts"

const pageParts = (scene: Scene, view: FlowView): PageParts => {
  switch (view.page) {
    case "customer":
      return customerPage(scene, view)
    case "manufacturers":
      return manufacturersPage(scene, view)
    case "unsupported":
      return unsupportedPage(scene, view)
    case "consent":
      return consentPage(scene, view)
    case "form":
      return formPage(scene, view)
    case "waiting":
      return waitingPage(scene, view)
    case "system":
      return systemPage(scene, view)
    case "done":
      return donePage(scene, view)
    case "error":
      return errorPage(scene, view)
    case "unknown":
      return unknownPage(scene)
  }
}

/** The document of a page of the flow. */
export const renderPage = (view: FlowView, request: PageRequest): string => {
  const scene = makeScene(view, request)
  return frame(scene, pageParts(scene, view))
}

/** A page of which only the language is known. */
export const plainContext = (language: Language): FlowContext => ({
  language,
  colorScheme: null,
  clientName: null,
  branding: { logoUrl: null, accentColor: null },
  progress: null
})

export const renderRefusedForm = (language: Language, request: PageRequest): string => {
  const scene = makeScene(plainContext(language), request)
  return frame(scene, refusedFormPage(scene))
}

export const renderLeaving = (language: Language, url: string, request: PageRequest): string => {
  const scene = makeScene(plainContext(language), request)
  return frame(scene, leavingPage(scene, url))
}

export const renderFailure = (language: Language, request: PageRequest): string => {
  const scene = makeScene(plainContext(language), request)
  return frame(scene, failurePage(scene))
}
