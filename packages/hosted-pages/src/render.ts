import type { Language } from "@edp/domain/shared/Language"
import { createElement, type ReactNode } from "react"
import { FailurePage, LeavingPage, RefusedFormPage } from "./common/commonPages.tsx"
import { ConnectPage } from "./connect/ConnectPage.tsx"
import type { FlowView } from "./connect/pageTypes.ts"
import { messages as connectMessages } from "./connect/messages.ts"
import { EnrollPage } from "./enroll/EnrollPage.tsx"
import type { EnrollView } from "./enroll/pageTypes.ts"
import { messages as enrollMessages } from "./enroll/messages.ts"
import { writeDocument } from "./kit/Page.tsx"
import { confirmationMail, takesPartMail } from "./mails/confirmationMails.tsx"
import { eventMail } from "./mails/eventMail.tsx"
import { makeScene, type PageRequest, plainContext, type Scene } from "./scene/scene.ts"
import { commonMessages } from "./scene/messages.ts"
import icon from "./styles/icon.svg?raw"
import script from "./styles/pages.js?raw"
import { styles } from "./styles/styles.ts"

/** The document of a page of the connect flow. */
export const renderConnectPage = (view: FlowView, request: PageRequest): string =>
  writeDocument(createElement(ConnectPage, { scene: makeScene(connectMessages, view, request), view }))

/** The document of a page of the enrollment. */
export const renderEnrollPage = (view: EnrollView, request: PageRequest): string =>
  writeDocument(createElement(EnrollPage, { scene: makeScene(enrollMessages, view, request), view }))

/** The document of a page of which nothing but the visitor's language is known. */
const renderPlain = (language: Language, request: PageRequest, page: (scene: Scene) => ReactNode) =>
  writeDocument(page(makeScene(commonMessages, plainContext(language), request)))

export const renderRefusedForm = (language: Language, request: PageRequest): string =>
  renderPlain(language, request, (scene) => createElement(RefusedFormPage, { scene }))

export const renderLeaving = (language: Language, request: PageRequest, url: string): string =>
  renderPlain(language, request, (scene) => createElement(LeavingPage, { scene, url }))

export const renderFailure = (language: Language, request: PageRequest): string =>
  renderPlain(language, request, (scene) => createElement(FailurePage, { scene }))

/** The mails of the platform, as plain text and as HTML. */
export const mailTemplates = { confirmation: confirmationMail, takesPart: takesPartMail, event: eventMail }

/** The files to which the documents refer. */
export const files = { icon, script, styles }
