import { frame, makeScene, type PageParts, type PageRequest } from "../../platform/pages/layout.ts"
import type { EnrollView } from "../enrollView.ts"
import { applyPage, programPage } from "./applyPages.ts"
import {
  closedPage,
  enrolledPage,
  expiredPage,
  ineligiblePage,
  returnedPage,
  statusPage,
  unknownPage
} from "./statusPages.ts"
import { type EnrollScene, texts } from "./texts/texts.ts"

const pageParts = (scene: EnrollScene, view: EnrollView): PageParts => {
  switch (view.page) {
    case "program":
      return programPage(scene, view)
    case "apply":
      return applyPage(scene, view)
    case "closed":
      return closedPage(scene, view)
    case "ineligible":
      return ineligiblePage(scene, view)
    case "enrolled":
      return enrolledPage(scene)
    case "status":
      return statusPage(scene, view)
    case "returned":
      return returnedPage(scene)
    case "expired":
      return expiredPage(scene)
    case "unknown":
      return unknownPage(scene)
  }
}

/** The document of a page of the enrollment. */
export const renderEnrollPage = (view: EnrollView, request: PageRequest): string => {
  const scene = makeScene(texts, view, request)
  return frame(scene, pageParts(scene, view))
}
