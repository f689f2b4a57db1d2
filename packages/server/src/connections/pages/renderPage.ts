import { frame, makeScene, type PageParts, type PageRequest } from "../../platform/pages/layout.ts"
import type { FlowView } from "../flowView.ts"
import { consentPage, formPage, waitingPage } from "./authorizationPages.ts"
import { donePage, errorPage, systemPage, unknownPage } from "./endPages.ts"
import { customerPage, manufacturersPage, unsupportedPage } from "./startPages.ts"
import { type FlowScene, texts } from "./texts/texts.ts"

const pageParts = (scene: FlowScene, view: FlowView): PageParts => {
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
  const scene = makeScene(texts, view, request)
  return frame(scene, pageParts(scene, view))
}
