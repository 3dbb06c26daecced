import { describeShortForms } from './support/short-forms.ts';

describeShortForms(0);
