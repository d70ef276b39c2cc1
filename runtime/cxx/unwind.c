// The unwinder of explored programs: the functions that a personality and a thrower call, after the C++ ABI for Itanium.
// The engine knows the frames. A function with landing pads has a table for its personality, as native code has it: of
// each landing pad an entry, whose "address" is the number of the pad. So the personalities are the libraries' own.
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

// Number of the next frame above that of this number that unwinding must look at, or of any frame with `all`; 0 at the end
// of the stack. The frames above the function that calls this follow 0.
uintptr_t cleave_unwind_next(uintptr_t frame, int all);
// A frame, as far as it is known.
uintptr_t cleave_unwind_value(uintptr_t frame, int what);
// Ends all functions up to that frame, which goes on at its landing pad with these two values.
_Noreturn void cleave_unwind_to(uintptr_t frame, uintptr_t first, uintptr_t second);

enum { PERSONALITY, TABLE, PAD, FUNCTION, ADDRESS, STACK, NEVER };

struct _Unwind_Context {
    uintptr_t frame;
    uintptr_t values[2];
};

static uintptr_t known(struct _Unwind_Context *context, int what) {
    return cleave_unwind_value(context->frame, what);
}

// Goes on to the next frame that matters; false at the end of the stack.
static int next(struct _Unwind_Context *context, int all) {
    context->frame = cleave_unwind_next(context->frame, all);
    return context->frame != 0;
}

static _Unwind_Reason_Code ask(struct _Unwind_Context *context, _Unwind_Action actions, _Unwind_Exception *exception) {
    _Unwind_Personality_Fn personality = (_Unwind_Personality_Fn)known(context, PERSONALITY);
    return personality(1, actions, exception->exception_class, exception, context);
}

static _Noreturn void enter(struct _Unwind_Context *context) {
    cleave_unwind_to(context->frame, context->values[0], context->values[1]);
}

// Which frame takes the exception stands in the exception itself: others that are thrown and caught on the way do not
// change it.
static _Unwind_Reason_Code search(_Unwind_Exception *exception) {
    struct _Unwind_Context context = {0};
    while (next(&context, 0)) {
        // A function that lets no exception pass has no place to go on at.
        if (known(&context, NEVER)) return _URC_END_OF_STACK;
        switch (ask(&context, _UA_SEARCH_PHASE, exception)) {
        case _URC_HANDLER_FOUND:
            exception->private_1 = 0;
            exception->private_2 = context.frame;
            return _URC_NO_REASON;
        case _URC_CONTINUE_UNWIND:
            break;
        default:
            return _URC_FATAL_PHASE1_ERROR;
        }
    }
    return _URC_END_OF_STACK;
}

static _Unwind_Reason_Code clean_up(_Unwind_Exception *exception) {
    struct _Unwind_Context context = {0};
    while (next(&context, 0)) {
        if (known(&context, NEVER)) return _URC_FATAL_PHASE2_ERROR;
        int is_last = context.frame == exception->private_2;
        switch (ask(&context, _UA_CLEANUP_PHASE | (is_last ? _UA_HANDLER_FRAME : 0), exception)) {
        case _URC_INSTALL_CONTEXT:
            enter(&context);
        case _URC_CONTINUE_UNWIND:
            if (!is_last) break;
            // fall through
        default:
            return _URC_FATAL_PHASE2_ERROR;
        }
    }
    return _URC_END_OF_STACK;
}

static _Unwind_Reason_Code forced(_Unwind_Exception *exception) {
    struct _Unwind_Context context = {0};
    _Unwind_Stop_Fn stop = (_Unwind_Stop_Fn)exception->private_1;
    void *parameter = (void *)exception->private_2;
    _Unwind_Action actions = _UA_FORCE_UNWIND | _UA_CLEANUP_PHASE;
    while (next(&context, 1)) {
        if (stop(1, actions, exception->exception_class, exception, &context, parameter) != _URC_NO_REASON) {
            return _URC_FATAL_PHASE2_ERROR;
        }
        if (known(&context, NEVER)) break;
        if (!known(&context, PERSONALITY) || !known(&context, PAD)) continue;
        switch (ask(&context, actions, exception)) {
        case _URC_INSTALL_CONTEXT:
            enter(&context);
        case _URC_CONTINUE_UNWIND:
            break;
        default:
            return _URC_FATAL_PHASE2_ERROR;
        }
    }
    stop(1, actions | _UA_END_OF_STACK, exception->exception_class, exception, &context, parameter);
    return _URC_END_OF_STACK;
}

_Unwind_Reason_Code _Unwind_RaiseException(_Unwind_Exception *exception) {
    _Unwind_Reason_Code found = search(exception);
    return found == _URC_NO_REASON ? clean_up(exception) : found;
}

_Unwind_Reason_Code _Unwind_ForcedUnwind(_Unwind_Exception *exception, _Unwind_Stop_Fn stop, void *parameter) {
    exception->private_1 = (uintptr_t)stop;
    exception->private_2 = (uintptr_t)parameter;
    return forced(exception);
}

void _Unwind_Resume(_Unwind_Exception *exception) {
    if (exception->private_1) {
        forced(exception);
    } else {
        clean_up(exception);
    }
    __builtin_trap();
}

_Unwind_Reason_Code _Unwind_Resume_or_Rethrow(_Unwind_Exception *exception) {
    return exception->private_1 ? forced(exception) : _Unwind_RaiseException(exception);
}

void _Unwind_DeleteException(_Unwind_Exception *exception) {
    if (exception->exception_cleanup) exception->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, exception);
}

_Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn see, void *parameter) {
    struct _Unwind_Context context = {0};
    while (next(&context, 1)) {
        if (see(&context, parameter) != _URC_NO_REASON) return _URC_FATAL_PHASE1_ERROR;
    }
    return _URC_END_OF_STACK;
}

uintptr_t _Unwind_GetGR(struct _Unwind_Context *context, int index) { return context->values[index & 1]; }
void _Unwind_SetGR(struct _Unwind_Context *context, int index, uintptr_t value) { context->values[index & 1] = value; }
// The place is that of the pad that the frame stands in front of, so there is nothing to set.
void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t value) { (void)context, (void)value; }
uintptr_t _Unwind_GetLanguageSpecificData(struct _Unwind_Context *context) { return known(context, TABLE); }

// Within a function with a table: its pads are numbered from 1, and behind a call without a pad is none of them.
uintptr_t _Unwind_GetIP(struct _Unwind_Context *context) {
    return known(context, TABLE) ? known(context, PAD) : known(context, ADDRESS);
}
uintptr_t _Unwind_GetIPInfo(struct _Unwind_Context *context, int *before) {
    *before = 0;
    return _Unwind_GetIP(context);
}
uintptr_t _Unwind_GetRegionStart(struct _Unwind_Context *context) {
    return known(context, TABLE) ? 0 : known(context, FUNCTION);
}
uintptr_t _Unwind_GetCFA(struct _Unwind_Context *context) { return known(context, STACK); }
uintptr_t _Unwind_GetDataRelBase(struct _Unwind_Context *context) { return (void)context, 0; }
uintptr_t _Unwind_GetTextRelBase(struct _Unwind_Context *context) { return (void)context, 0; }
void *_Unwind_FindEnclosingFunction(void *address) { return (void)address, NULL; }
