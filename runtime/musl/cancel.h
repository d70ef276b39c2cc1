/* What threads that are cancelled and those that cancel share. */
#ifndef CANCEL_H
#define CANCEL_H

/* The thread ends, or is told by an error. */
long __cancelled(pthread_t self);
/* Whom the signal has interrupted last, without cancelling it. */
extern pthread_t __spared;
/* It is there in a program that cancels threads. */
extern weak const char __cancels;
/* Natively: the model says whose turn it is (runtime/threads.c). */
extern int cleave_scheduled;

#endif
